"""Draws charts and maps with matplotlib, and writes styled tables, of frames that are already loaded.

plots has the public functions, tables the styled table, picture the chart of the picker. rents and values read frames;
lines, impacts, scorecard and maps draw a kind of chart each, with the figure, rows, look and words that all share.
Nothing here makes a call or changes a frame, a setting of matplotlib, or other Axes in a figure of the user. Loading is
left to loaders, time to timeseries. accessor and notebook may import it; geocoding may not.
"""
