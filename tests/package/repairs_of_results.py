"""The repairs of what is done with results: of charts, tables, traces, and of the suburb picker."""

from tests.package.repairs import Repair

CARD = "card = sp.scorecard([odd.BAY, odd.WOYLIE])"
MANY = "suburbs = [*sp.places().index[:80]]; frame = sp.rent(suburbs)"
PRICES = "prices = pd.DataFrame({'suburb': [odd.BAY], 'house_price': [905_000]})"
RENTS = "rents = sp.rent([odd.BAY, odd.WOYLIE])"

CASES = [
    Repair(
        "plotting.impacts._read",
        "drivers = sp.impacts(odd.BAY); drivers['premium_dollars'] = '$' + drivers['premium_dollars'].astype(str)",
        "sp.plot_impacts(drivers)",
        "result is not None",
    ),
    Repair(
        "plotting.boundaries._of_path",
        "import geopandas; boundaries = folder / 'b.gml'; "
        "sp.sandbox_boundaries().set_crs(None, allow_override=True).to_file(boundaries, driver='GML')",
        "sp.plot_map(pd.Series({odd.BAY: 1.0}), boundaries)",
        "result is not None",
        "boundaries = {}",
    ),
    Repair(
        "plotting.boundaries._areas_of",
        "import geopandas; boundaries = geopandas.GeoDataFrame({'suburb': [odd.BAY]}); "
        "shapes = sp.sandbox_boundaries().geometry[:1]",
        "sp.plot_map(pd.Series({odd.BAY: 1.0}), boundaries)",
        "result is not None",
        "boundaries = {}",
        fill="shapes",
    ),
    Repair(
        "plotting.boundaries.without_shape",
        "values = pd.Series({'quokka bay': 1.0}); boundaries = sp.sandbox_boundaries()",
        "sp.plot_map(values, boundaries)",
        "result['quokka bay'] == odd.BAY",
        "{}",
    ),
    Repair(
        "frames.conversions.to_numbers",
        "frame = pd.DataFrame({'suburb': [odd.BAY, odd.WOYLIE], 'price': ['$905,000', 'n.a.']}); "
        "boundaries = sp.sandbox_boundaries()",
        "sp.plot_map(frame, boundaries, column='price')",
        "frame['price'].fillna(0).tolist() == [905000, 0]",
    ),
    Repair(
        "frames.conversions.to_numbers",
        "values = pd.Series({odd.BAY: '$905,000', odd.WOYLIE: '*'}, name='price'); "
        "boundaries = sp.sandbox_boundaries()",
        "sp.plot_map(values, boundaries, column='price')",
        "values.fillna(0).tolist() == [905000, 0]",
    ),
    Repair(
        "plotting.words.dates_in",
        "frame = pd.DataFrame({'suburb': [odd.BAY], 'house_rent': [1.0], 'house_rent_date': ['26/04/2026']})",
        "sp.plot_scorecard(frame, by='house_rent')",
        "str(frame['house_rent_date'].iloc[0]).startswith('2026-04-26')",
    ),
    Repair(
        "plotting.values.read",
        "frame = pd.DataFrame([[odd.BAY, 1.0, 2.0]], columns=['suburb', 'price', 'price'])",
        "sp.plot_scorecard(frame, by='price')",
        "result is not None",
        "frame = {}",
    ),
    Repair(
        "plotting.values._names",
        "frame = pd.DataFrame({'place': [odd.BAY], 'price': [905_000]})",
        "sp.plot_scorecard(frame, by='price')",
        "result is not None",
        "frame = {}",
        fill="place",
    ),
    Repair(
        "plotting.values._label",
        f"{CARD}; {PRICES}; suburbs = [odd.BAY]",
        "sp.plot_scorecard(card, by='house_gross_yield_pct')",
        "result is not None",
        "card = {}",
    ),
    Repair(
        "plotting.scorecard.draw",
        "card = sp.scorecard(sp.places().index); card = pd.concat([card, card.rename(lambda name: name + ' Two')])",
        "sp.plot_scorecard(card, by='house_rent')",
        "result is not None",
        "{}",
    ),
    Repair(
        "plotting.impacts._read",
        "suburbs = [*sp.places().index[:70]]; drivers = sp.impacts(suburbs)",
        "sp.plot_impacts(drivers)",
        "result is not None",
        "{}",
    ),
    Repair(
        "plotting.rents._highlighted",
        MANY,
        "sp.plot_rent(frame)",
        "result is not None",
        "{}",
    ),
    Repair(
        "frames.column.label_of",
        "frame = sp.rent([odd.BAY]).rename(columns={'area_name': 'suburb'}).assign(locality='X')",
        "sp.plot_rent(frame)",
        "result is not None",
        "frame = {}",
    ),
    Repair(
        "plotting.rents._long",
        "frame = sp.rent(odd.BAY)[['house']]",
        "sp.plot_rent(frame, property_type='unit')",
        "result is not None",
        "sp.plot_rent(frame, {})",
    ),
    Repair(
        "plotting.lines.base_of",
        "frame = odd.rents(); frame.loc[:1, 'unit'] = np.nan; frame.loc[2:, 'house'] = np.nan; "
        "frame = frame.set_index(pd.to_datetime(frame.pop('date')))",
        "sp.plot_rent(frame, kind='index')",
        "result is not None",
        "sp.plot_rent(frame, kind='index', {})",
    ),
    Repair(
        "plotting.tables.style",
        "frame = sp.rent([odd.BAY, odd.WOYLIE, odd.LANTERN] + [*sp.places().index[:30]])",
        "frame.suburb.style()",
        "len(result.data) == 100",
        "{}",
    ),
    Repair(
        "tracing.claim",
        "frame = sp.rent(odd.BAY); frame.loc['2026-04-26', 'house'] = 1.0",
        "sp.cite(frame)",
        "'Quokka Bay' in result or 'rent' in result",
        "{}",
        fill="odd.BAY",
    ),
    Repair(
        "tracing.claim.names_of",
        "frame = pd.DataFrame(sp.rent(odd.BAY).to_dict()); name = odd.BAY",
        "sp.cite(frame)",
        "'rent' in result",
        "frame = {}",
    ),
    Repair(
        "tracing.citation",
        f"client = sp.connect(api_key='embedded'); {RENTS}",
        "sp.cite(client=client)",
        "result.startswith('Median rent series of 2 suburbs')",
        "{}",
    ),
    Repair(
        "tracing.rents._suburbs_of_index",
        "names = [*sp.places(state='NSW').index]; frame = sp.rent_index(sp.rent(names, freq='QE'))\n"
        "forget(); sp.rent(names)",
        "sp.cite(frame)",
        "result.startswith('Median rent series of')",
        "frame = {}",
    ),
    Repair(
        "notebook.choices.why_nothing",
        "",
        "advice()",
        "sp.quote('Quokka Bay') is not None",
    ),
]
