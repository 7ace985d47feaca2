"""The repairs of requests: of their names, limits, clients, responses, cassettes and stores."""

from tests.package.repairs import Repair

MESSY = "df = pd.DataFrame({'suburb': ['quokka bay']})"
RESOLVED = "set(result['area_name']) == {odd.BAY}"
LISTED = (
    "odd.write_abs_list(folder, [odd.BAY, odd.WOYLIE]); live(); sp.load_gazetteer('SAL_2021_AUST.xlsx', complete=True)"
)

CASES = [
    Repair(
        "client = live(); client.close()",
        "sp.rent(odd.BAY, client=client)",
        "len(result) > 100",
        leaves="No API key",
    ),
    Repair(
        "sp.connect()",
        "sp.rent(odd.BAY)",
        "len(result) > 100",
        at=1,
    ),
    Repair(
        MESSY,
        "df.suburb.rent()",
        RESOLVED,
        at=1,
    ),
    Repair(
        f"{LISTED}; {MESSY}",
        "df.suburb.rent()",
        RESOLVED,
        at=1,
    ),
    Repair(
        f"{LISTED}; df = pd.DataFrame({{'suburb': [odd.LANTERN]}})",
        "df.suburb.rent()",
        "set(result['area_name']) == {odd.LANTERN}",
        "df.suburb.rent({})",
    ),
    Repair(
        f"live(); {MESSY}; odd.write_abs_list(folder, [odd.BAY])",
        "df.suburb.rent()",
        RESOLVED,
    ),
    Repair(
        "live()",
        "sp.connect()",
        "result.settings.max_cents == 2000 and result.settings.source == 'embedded'",
        "{}",
    ),
    Repair(
        "client = live(max_cents=100)",
        "sp.connect(max_cents=500)",
        "sp.quote(odd.BAY).limits.cap == 500",
        "{}",
        at=1,
    ),
    Repair(
        "odd.write_abs_list(folder, [odd.BAY])",
        "sp.load_gazetteer('SAL_2021_AUST.xlsx', complete=True)",
        "len(result) == 1",
    ),
    Repair(
        "live(); sp.sandbox_boundaries().rename(columns={'SAL_NAME_2021': 'SAL_NAME21'}).to_file('SAL.shp'); "
        "import geopandas",
        "sp.load_gazetteer('SAL.shp')",
        "result['names'].item() > 80",
        "sp.load_gazetteer({})",
    ),
    Repair(
        "",
        "sp.places(lga='Nowhere at all')",
        "'Leatherwood' in result",
        "{}",
    ),
    Repair(
        "live(); sp.rent(odd.BAY); later(days=40)",
        "sp.rent(odd.BAY)",
        "len(result) > 100 and sp.ledger()['outcome'].tolist() == ['billed', 'billed']",
        "sp.rent(odd.BAY, {})",
    ),
    Repair(
        "df = pd.DataFrame({'suburb': [odd.BAY], 'n_sales': [1]})",
        "df.suburb.join_impacts()",
        "result['n_sales'].tolist() == [1] and result['new_n_sales'].item() > 10",
        "df.suburb.join_impacts({})",
    ),
    Repair(
        "",
        "sp.rent(odd.BAY, how='mean')",
        "result.equals(sp.rent(odd.BAY, freq='ME', how='mean'))",
        "sp.rent(odd.BAY, how='mean', {})",
    ),
    Repair(
        "live(); service.answer(odd.BAY, 'rent', body=odd.NO_DATA, times=1); sp.rent([odd.BAY])",
        "sp.rent([odd.BAY])",
        "result['area_name'].nunique() == 1",
        "sp.rent([odd.BAY], {})",
    ),
    Repair(
        "live(); service.answer(odd.BAY, 'rent', body=odd.NO_DATA, times=1)",
        "sp.rent(odd.BAY)",
        "len(result) > 100",
        "sp.rent(odd.BAY, {})",
    ),
    Repair(
        "live(); service.answer(odd.BAY, 'rent', body=rents_body(odd.BAY, {'2026-03-31': 700.0}), times=1); "
        "sp.rent(odd.BAY); "
        "service.answer(odd.BAY, 'rent', body=rents_body(odd.BAY, {'2026-03-31': 710.0}), times=1)",
        "sp.rent(odd.BAY, refresh=True)",
        "result[['first_value', 'last_value']].to_numpy().tolist() == [[700, 710]]",
        "{}",
    ),
    Repair(
        "frame = sp.rent(odd.BAY, freq='QE')",
        "sp.rent_index(frame, by={odd.BAY: 'here'})",
        "set(result['group']) == {'here'}",
        "frame = {}",
        fill="Quokka Bay",
    ),
    Repair(
        "live(); body = rents_body(odd.BAY, {'2026-03-31': 700.0}); "
        "service.answer(odd.BAY, 'rent', body=body, headers={'X-Made-Up-Data': None}); "
        "replay('c.yaml', lambda: sp.rent(odd.BAY)); sp.connect()",
        "replay('c.yaml', lambda: sp.rent(odd.WOYLIE), record='new_episodes')",
        "len(result) > 100",
        fill="LIVE_KEY, base_url=service.url",
    ),
    Repair(
        "live(); service.answer(odd.BAY, 'rent', status=403, body=b'', billed=True, times=1)\n"
        "try: sp.rent(odd.BAY)\nexcept sp.errors.Forbidden: pass",
        "repr(sp.quote(odd.BAY))",
        "'30' in result",
        "repr(sp.quote(odd.BAY, {}))",
    ),
    Repair(
        "live(); service.answer(odd.BAY, 'rent', body=b'{}', times=1)",
        "sp.rent(odd.BAY)",
        "result['body'].tolist() == ['{}']",
        "{}",
    ),
    Repair(
        "service.answer(odd.BAY, 'rent', status=429, body=b'', billed=False, times=4)\n"
        "def load(**options): live(**options); return sp.rent(odd.BAY)",
        "load()",
        "len(result) > 100",
        "load({})",
    ),
    Repair(
        "live(); service.answer(odd.BAY, 'rent', status=302, body=b'', billed=False, times=1)",
        "sp.rent(odd.BAY)",
        "result is None",
        "{}",
    ),
    Repair(
        "live(); sp.impacts(odd.BAY); odd.damage(folder / 'store.sqlite')",
        "sp.impacts(odd.BAY)",
        "result.equals(sp.impacts(odd.BAY)) and len(sp.ledger()) == 2",
        "sp.impacts(odd.BAY, {})",
    ),
]
