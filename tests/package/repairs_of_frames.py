"""The repairs of frames that users pass: of their values, dates, columns and layouts."""

from tests.package import odd_inputs
from tests.package.repairs import Repair

LONG = "frame = sp.rent([odd.BAY, odd.WOYLIE])"
WIDE = "frame = sp.rent([odd.BAY, odd.WOYLIE], layout='wide')"
RESAMPLE = "sp.resample(frame, 'ME')"

CASES = [
    Repair(
        "frame = odd.rents(date=['5/04/2026', '12/04/2026', '19/04/2026', '26/04/2026'], "
        "house=['$640', '1,200', 's', '\u00a0655\u00a0'], unit=['480', 'n.a.', '485', '*'])",
        "sp.resample(frame, 'W-SUN')",
        "result['house'].fillna(0).tolist() == [640, 1200, 0, 655] and result['unit'].fillna(0).tolist()[:3] == "
        "[480, 0, 485]",
    ),
    Repair(
        "prices = odd.prices_as_written()",
        "sp.scorecard([odd.BAY], prices=prices)",
        "prices['house_price'].dropna().tolist() == [*odd.NUMBERS.values()]",
        leaves="no row in prices",
    ),
    Repair(
        "frame = odd.wide_rents_as_published()",
        RESAMPLE,
        "result.loc['2026-04-30', odd.BAY] == 1655 and result.loc['2026-02-28', odd.WOYLIE] == 510",
    ),
    Repair(
        f"{WIDE}.rename_axis(columns=['kind', 'place'])",
        RESAMPLE,
        "result.equals(sp.resample(sp.rent([odd.BAY, odd.WOYLIE], layout='wide'), 'ME'))",
        "frame = {}",
    ),
    Repair(
        "frame = odd.wide_rents_as_published().rename(index={'28/02/2026': '2026-02-28', '31/03/2026': '2026-03-31', "
        "'30/04/2026': '2026-04-30'}).reset_index().rename_axis(columns='area_name')",
        RESAMPLE,
        "result.loc['2026-04-30', odd.BAY] == 1655",
    ),
    Repair(
        "frame = odd.rents(); frame['date'] = pd.to_datetime(frame['date']) + pd.Timedelta('9h')",
        "sp.resample(frame, 'W-SUN')",
        "result['date'].astype(str).tolist() == odd.rents()['date'].tolist()",
    ),
    Repair(
        "frame = odd.rents().rename(columns={'date': 'Week ending'})",
        "sp.resample(frame, 'W-SUN')",
        "result['date'].astype(str).tolist() == odd.rents()['date'].tolist()",
        "frame = {}",
        fill="Week ending",
    ),
    Repair(
        f"{WIDE}.rename(columns={{odd.WOYLIE: None}})",
        RESAMPLE,
        "set(result.columns.get_level_values('area_name')) == {odd.BAY}",
        "frame = {}",
    ),
    Repair(
        f"{WIDE}; frame = pd.concat([frame, frame], axis=1)",
        RESAMPLE,
        "result.equals(sp.resample(sp.rent([odd.BAY, odd.WOYLIE], layout='wide'), 'ME'))",
        "frame = {}",
    ),
    Repair(
        "path = folder / 'rents.xlsx'; sp.rent([odd.BAY, odd.WOYLIE], layout='wide').to_excel(path); "
        "frame = pd.read_excel(path)",
        RESAMPLE,
        "result.loc['2026-03-31', ('house', odd.BAY)] == "
        "sp.resample(sp.rent(odd.BAY), 'ME').loc['2026-03-31', 'house']",
        "frame = {}",
    ),
    Repair(
        f"{WIDE}['house'].rename_axis(columns=None)",
        RESAMPLE,
        "result.equals(sp.resample(sp.rent([odd.BAY, odd.WOYLIE], layout='wide')['house'], 'ME'))",
        "frame = {}",
    ),
    Repair(
        "frame = sp.rent(odd.BAY, freq='ME').to_period('M')",
        RESAMPLE,
        "result.equals(sp.rent(odd.BAY, freq='ME'))",
        "frame = {}",
    ),
    Repair(
        "frame = odd.rents(area_name=[odd.BAY, None, odd.BAY, odd.BAY])",
        "sp.resample(frame, 'W-SUN')",
        "len(result) == 4 and result['house'].count() == 3",
        "frame = {}",
    ),
    Repair(
        LONG,
        "sp.resample(frame, 'W-SUN', max_gap='7D')",
        "result['house'].count() > sp.resample(frame, 'ME')['house'].count()",
        "sp.resample(frame, 'W-SUN', max_gap='7D', {})",
    ),
    Repair(
        "rents = sp.rent(odd.BAY)",
        "sp.rent(odd.BAY, start='-5Y')",
        "result.index.min() > pd.Timestamp('2021-04-26') and result.index.max() == rents.index.max()",
        "{}",
    ),
    Repair(
        "df = pd.DataFrame({'suburb': [None], 'Area': [odd.BAY]})",
        "df.suburb.rent(column='suburb')",
        "set(result['area_name']) == {odd.BAY}",
        "df.suburb.rent({})",
        fill="Area",
    ),
    Repair(
        "df = pd.DataFrame({'suburb_name': [odd.BAY], 'locality': ['x']})",
        "df.suburb.rent()",
        "set(result['area_name']) == {odd.BAY}",
        "df.suburb.rent({})",
    ),
    Repair(
        "df = pd.DataFrame({'suburb': [odd.BAY]})",
        "sp.rent(df)",
        "set(result['area_name']) == {odd.BAY}",
        "{}",
    ),
    Repair(
        "index = pd.MultiIndex.from_tuples([(odd.BAY, 1)])",
        "sp.resolve(index)",
        "result.tolist() == [odd.BAY]",
        "index = {}",
    ),
    Repair(
        "queries = pd.Series(['lantern bay']); state = pd.Series(['NSW'], index=['a'])",
        "sp.resolve(queries, state=state)",
        "result.tolist() == [odd.LANTERN]",
        "sp.resolve(queries, {})",
    ),
    Repair(
        "names = ['n.a.', odd.BAY]",
        "sp.resolve(names)",
        "result.dropna().tolist() == [odd.BAY]",
        "names = {}",
        leaves="1 of 2 rows has no suburb name",
    ),
    Repair(
        "live(); odd.write_abs_list(folder, [odd.BAY]); df = pd.DataFrame({'SAL_CODE_2021': ['SAL10001']})",
        "df.suburb.resolve()",
        "result.tolist() == [odd.BAY]",
    ),
    Repair(
        "df = pd.DataFrame({'LGA': ['Leatherwood', 'Mangrove Steps', 'Bogong Rise', "
        "'Curlew Shores (A)', 'Jarrah Rise (C)']})",
        "df.suburb.resolve(column='LGA', errors='warn')",
        "len(result) > 1 and set(result['lga']) == {'Leatherwood'}",
        "{}",
    ),
    Repair(
        "frame = prices = pd.DataFrame({'Area': [odd.BAY], 'house_price': [905_000]})",
        "sp.scorecard([odd.BAY], prices=prices)",
        "3 < result['house_gross_yield_pct'].item() < 9",
        "prices = {}",
        fill="Area",
    ),
    Repair(
        "prices = pd.DataFrame({'suburb': [odd.BAY, odd.WOYLIE], 'house_price': [905_000, float('inf')]})",
        "sp.scorecard([odd.BAY, odd.WOYLIE], prices=prices)",
        "result['house_gross_yield_pct'].notna().tolist() == [True, False]",
    ),
    Repair(
        "df = pd.DataFrame({'suburb': [odd.BAY, odd.WOYLIE, None, odd.BAY], "
        "'sold': ['26/04/2026', '1/04/2026', None, 'n.a.']})",
        "df.suburb.join_rent(on='sold')",
        "result['rent_date'].astype(str).tolist()[:2] == ['2026-04-26', '2026-03-29'] and "
        "result['house_rent'].isna().tolist() == [False, False, True, True]",
        leaves="no suburb name",
    ),
]

CASES += [
    Repair(
        f"frame = odd.rents().head({len(written)}); frame['date'] = odd.DATES[{name!r}][0]",
        "sp.cadence(frame)",
        f"[str(day)[:10] for day in frame['date']] == {meant}",
        leaves="A date is missing" * ("NaT" in meant),
    )
    for name, (written, meant) in odd_inputs.DATES.items()
]
