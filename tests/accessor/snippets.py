"""Snippets of user code on frames with or without a column `suburb`, run with this package and without it."""

# Each snippet can use `df`, `pd`, `np` and `mask`, and stores its result in `out`. Tests compare both `out` and `df`.
WITH_COLUMN = {
    "unique": "out = list(df.suburb.unique())",
    "equal to a name": "out = df[df.suburb == 'Quokka Bay']",
    "groupby the column": "out = df.groupby(df.suburb).x.sum()",
    "groupby then attribute": "out = df.groupby('x').suburb.first()",
    "str": "out = df.suburb.str.upper()",
    "same object": "out = (df.suburb is df.suburb, df.suburb is df['suburb'])",
    "class": "out = type(df.suburb)",
    "attrs": "df.attrs['a'] = [1]; out = df.suburb.attrs",
    "attrgetter": "import operator; out = operator.attrgetter('suburb')(df)",
    "__getattr__": "out = df.__getattr__('suburb')",
    "to_frame": "out = df.suburb.to_frame()",
    "set scalar": "df.suburb = 'Woylie'",
    "set aligned": "df.suburb = pd.Series(['p', 'q'], index=[1, 0])",
    "set in place": "df.suburb += '!'",
    "set wrong length": "df.suburb = ['one']",
    "set a set": "df.suburb = {1, 2}; out = df.suburb",
    "set a frame": "df.suburb = pd.DataFrame({'b': [1, 2, 3, 4]})",
    "object.__setattr__": "object.__setattr__(df, 'suburb', 1); out = df.suburb",
    "set on a selection": "part = df[mask]; part.suburb = 'z'; out = part",
    "set on a temporary": "df[mask].suburb = 'z'",
    "chained, by mask": "df.suburb[mask] = 'z'",
    "chained, iloc": "df.suburb.iloc[0] = 'z'",
    "chained, fillna": "df.suburb.fillna('z', inplace=True)",
    "in a function": "def f(df):\n    df.suburb[mask] = 'z'\n    df.suburb.iloc[1] = 'y'\n    df.suburb = 'w'\nf(df)",
    "item set after get": "s = df.suburb; df['suburb'] = 'z'; out = (list(s), df.suburb)",
    "write after get": "s = df.suburb; df.loc[0, 'suburb'] = 'z'; out = s",
    "del": "del df.suburb",
    "del item": "del df['suburb']; out = 'suburb' in vars(df)",
    "assign": "out = df.assign(suburb=lambda d: d.suburb.str.lower())",
    "eval": "out = df.eval(\"suburb == 'Quokka Bay'\")",
    "eval, a method": "out = df.eval('suburb.str.len()', engine='python')",
    "eval, assigning": "out = df.eval('suburb = x + 1')",
    "pd.eval": "out = pd.eval('df.suburb == df.suburb')",
    "query": "out = df.query(\"suburb == 'Quokka Bay' and x > 1\")",
    "query, local frame": "out = df.query('suburb == @df.suburb')",
    "itertuples": "out = [row.suburb for row in df.itertuples()]",
    "iterrows": "out = [(row.suburb, type(row)) for _, row in df.iterrows()]",
    "apply to rows": "out = df.apply(lambda row: row.suburb, axis=1)",
    "apply to rows, expanding": "out = df.apply(lambda row: pd.Series({'s': row.suburb}), axis=1)",
    "agg by name": "out = df.agg('suburb')",
    "groupby apply": "out = df.groupby('x')[['suburb', 'x']].apply(lambda g: g.suburb.iloc[0])",
    "copy": "df.suburb; c = df.copy(); c.suburb = 'z'; out = c",
    "deepcopy": "import copy; df.suburb; out = copy.deepcopy(df).suburb",
    "copy of the column": "import copy; out = sorted(vars(copy.deepcopy(df.suburb)).keys() | vars(df.suburb.copy()))",
    "pickle a frame": "import pickle; df.suburb; out = pickle.dumps(df)",
    "pickle the column": "import pickle; out = pickle.dumps(df.suburb)",
    "pickle and back": "import pickle; out = vars(pickle.loads(pickle.dumps(df.suburb))).keys()",
    "documentation of what is derived": (
        "out = [s.__doc__ for s in (df.suburb.head(), df.suburb.copy(), df.x, pd.Series, df.suburb.to_frame())]"
    ),
    "own documentation of the column": "s = df.suburb; s.__doc__ = 'mine'; df.suburb; out = s.__doc__",
    "derived keep nothing": "out = [sorted(vars(s)) for s in (df.suburb[mask], df.suburb.head(), df.suburb + '')]",
    "dir of frame": "out = dir(df)",
    "vars of frame": "df.suburb; out = sorted(vars(df))",
    "own attribute of the cached column": "df.suburb.rent = 5; out = vars(df.suburb).get('rent') == 5",
    "subclass": (
        "class Frame(pd.DataFrame):\n"
        "    @property\n    def _constructor(self):\n        return Frame\n"
        "f = Frame(df)\nf.suburb = f.suburb.str.lower()\nout = (type(f).__name__, type(f[mask]).__name__, f.suburb)"
    ),
    "subclass with a Series of its own": (
        "class S(pd.Series):\n    pass\n"
        "class Frame(pd.DataFrame):\n"
        "    @property\n    def _constructor_sliced(self):\n        return S\n"
        "out = type(Frame(df).suburb).__name__"
    ),
    "subclass with __getattr__": (
        "class Frame(pd.DataFrame):\n"
        "    def __getattr__(self, name):\n"
        "        return 'own' if name == 'suburb' else super().__getattr__(name)\n"
        "out = Frame(df).suburb"
    ),
    "subclass with a property": (
        "class Frame(pd.DataFrame):\n    @property\n    def suburb(self):\n        return 'own'\nout = Frame(df).suburb"
    ),
    "subclass with metadata": (
        "class Frame(pd.DataFrame):\n    _metadata = ['suburb']\n"
        "    @property\n    def _constructor(self):\n        return Frame\n"
        "f = Frame(df[['x']])\nf.suburb = 'own'\nout = (f.suburb, f[mask].suburb, f.copy().suburb)"
    ),
    "subclass that refuses a value": (
        "class Frame(pd.DataFrame):\n"
        "    def __setitem__(self, key, value):\n        raise TypeError(key)\n"
        "f = Frame(df)\nf.suburb = ['z']\nout = f.suburb"
    ),
    "doubled columns": "d = pd.concat([df, df], axis=1); out = d.suburb",
    "doubled columns, set": "d = pd.concat([df, df], axis=1); d.suburb = 'z'; out = d",
    "levels of columns": "d = pd.concat({'suburb': df, 'b': df}, axis=1); out = d.suburb",
    "levels of columns, sub-frame": "d = pd.concat({'suburb': df, 'b': df}, axis=1); out = d.suburb.suburb",
    "levels of columns, set": "d = pd.concat({'suburb': df, 'b': df}, axis=1); d.suburb = 0; out = d",
    "columns of a category": "df.columns = pd.CategoricalIndex(df.columns); out = df.suburb",
    "row label wins": "d = df.set_axis(['rent', 'b', 'c', 'd']); out = d.suburb.rent",
    "row label set": "d = df.set_axis(['rent', 'b', 'c', 'd']); s = d.suburb; s.rent = 'z'; out = s",
    "row label of a category wins": "df.index = pd.CategoricalIndex(['rent', 'b', 'c', 'd']); out = df.suburb.rent",
    "no rows": "out = df[:0].suburb",
    "attribute and column": "d = df[['x']].copy(); d.suburb = 'a'; d['suburb'] = 'b'; out = (d.suburb, d['suburb'])",
    "attribute and column, set": "d = df[['x']].copy(); d.suburb = 'a'; d['suburb'] = 'b'; d.suburb = 'c'; out = d",
}

WITHOUT_COLUMN = {
    "set scalar": "df.suburb = 'a'; out = (df.suburb, vars(df)['suburb'])",
    "set series": "df.suburb = df.x; out = df.suburb",
    "setattr": "setattr(df, 'suburb', ['a'])",
    "object.__setattr__": "object.__setattr__(df, 'suburb', 'a'); out = df.suburb",
    "set, then copy": "df.suburb = 'a'; out = 'suburb' in vars(df.copy())",
    "set, then pickle": "import pickle; df.suburb = 'a'; out = pickle.dumps(df)",
    "set, then del": "df.suburb = 'a'; del df.suburb; out = 'suburb' in vars(df)",
    "del": "del df.suburb",
    "get item": "df['suburb']",
    "__getattr__": "df.__getattr__('suburb')",
    "eval": "df.eval('suburb')",
    "query": "df.query(\"suburb == 'a'\")",
    "pd.eval": "pd.eval('df.suburb')",
    "agg by name": "df.agg('suburb')",
    "apply to rows": "df.apply(lambda row: row.suburb, axis=1)",
    "groupby": "df.groupby('x').suburb",
    "compare": "df.suburb == 'Quokka Bay'",
    "pickle": "import pickle; out = pickle.dumps(df)",
    "vars": "getattr(df, 'suburb', None); out = sorted(vars(df))",
}
