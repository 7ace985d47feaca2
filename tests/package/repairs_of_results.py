"""The repairs of what is done with results: of charts, tables, traces, and of the suburb picker."""

from tests.package.repairs import Repair

CARD = "card = sp.scorecard([odd.BAY, odd.WOYLIE])"
PRICES = "prices = pd.DataFrame({'suburb': [odd.BAY], 'house_price': [905_000]})"

CASES = [
    Repair(
        "drivers = sp.impacts(odd.BAY); drivers['premium_dollars'] = '$' + drivers['premium_dollars'].astype(str)",
        "sp.plot_impacts(drivers)",
        "result is not None",
    ),
    Repair(
        "import geopandas; boundaries = folder / 'b.gml'; "
        "sp.sandbox_boundaries().set_crs(None, allow_override=True).to_file(boundaries, driver='GML')",
        "sp.plot_map(pd.Series({odd.BAY: 1.0}), boundaries)",
        "result is not None",
        "boundaries = {}",
    ),
    Repair(
        "import geopandas; boundaries = geopandas.GeoDataFrame({'suburb': [odd.BAY]}); "
        "shapes = sp.sandbox_boundaries().geometry[:1]",
        "sp.plot_map(pd.Series({odd.BAY: 1.0}), boundaries)",
        "result is not None",
        "boundaries = {}",
        fill="shapes",
    ),
    Repair(
        "values = pd.Series({'quokka bay': 1.0}); boundaries = sp.sandbox_boundaries()",
        "sp.plot_map(values, boundaries)",
        "result['quokka bay'] == odd.BAY",
        "{}",
    ),
    Repair(
        "values = pd.Series({odd.BAY: '$905,000', odd.WOYLIE: '*'}, name='price'); "
        "boundaries = sp.sandbox_boundaries()",
        "sp.plot_map(values, boundaries, column='price')",
        "values.fillna(0).tolist() == [905000, 0]",
    ),
    Repair(
        "frame = pd.DataFrame({'suburb': [odd.BAY], 'house_rent': [1.0], 'house_rent_date': ['26/04/2026']})",
        "sp.plot_scorecard(frame, by='house_rent')",
        "str(frame['house_rent_date'].iloc[0]).startswith('2026-04-26')",
    ),
    Repair(
        "frame = pd.DataFrame([[odd.BAY, 1.0, 2.0]], columns=['suburb', 'price', 'price'])",
        "sp.plot_scorecard(frame, by='price')",
        "result is not None",
        "frame = {}",
    ),
    Repair(
        f"{CARD}; {PRICES}; suburbs = [odd.BAY]",
        "sp.plot_scorecard(card, by='house_gross_yield_pct')",
        "result is not None",
        "card = {}",
    ),
    Repair(
        "card = sp.scorecard(sp.places().index); card = pd.concat([card, card.rename(lambda name: name + ' Two')])",
        "sp.plot_scorecard(card, by='house_rent')",
        "result is not None",
        "{}",
    ),
    Repair(
        "suburbs = [*sp.places().index[:70]]; drivers = sp.impacts(suburbs); del suburbs[3:]",
        "sp.plot_impacts(drivers)",
        "result is not None",
        "{}",
    ),
    Repair(
        "suburbs = [*sp.places().index[:70]]; frame = sp.rent(suburbs); del suburbs[3:]",
        "sp.plot_rent(frame)",
        "result is not None",
        "{}",
    ),
    Repair(
        "frame = sp.rent([odd.BAY]).rename(columns={'area_name': 'suburb'}).assign(locality='X')",
        "sp.plot_rent(frame)",
        "result is not None",
        "frame = {}",
    ),
    Repair(
        "frame = sp.rent(odd.BAY)[['house']]",
        "sp.plot_rent(frame, property_type='unit')",
        "result is not None",
        "sp.plot_rent(frame, {})",
    ),
    Repair(
        "frame = odd.rents(); frame.loc[:1, 'unit'] = np.nan; frame.loc[2:, 'house'] = np.nan; "
        "frame = frame.set_index(pd.to_datetime(frame.pop('date')))",
        "sp.plot_rent(frame, kind='index')",
        "result is not None",
        "sp.plot_rent(frame, kind='index', {})",
    ),
    Repair(
        "frame = sp.rent([odd.BAY, odd.WOYLIE, odd.LANTERN] + [*sp.places().index[:30]])",
        "frame.suburb.style()",
        "len(result.data) == 100",
        "{}",
    ),
    Repair(
        "frame = sp.rent(odd.BAY); frame.loc['2026-04-26', 'house'] = 1.0",
        "sp.cite(frame)",
        "'Quokka Bay' in result or 'rent' in result",
        "{}",
        fill="odd.BAY",
    ),
    Repair(
        "names = [*sp.places(state='NSW').index]; frame = sp.rent_index(sp.rent(names, freq='QE'))\n"
        "forget(); sp.rent(names)",
        "sp.cite(frame)",
        "result.startswith('Median rent series of')",
        "frame = {}",
    ),
    Repair(
        "from suburb_pandas.notebook.choices import why_nothing; note = why_nothing(None)",
        "f'{note.text} {note.code}'",
        "sp.quote('Quokka Bay') is not None",
    ),
]
