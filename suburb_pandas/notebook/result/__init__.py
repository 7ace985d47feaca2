"""Shows the data that the suburb picker loaded, in a live page and in a saved notebook.

It owns the heading, the line of code, the chart and the table of a result. Loading is left to loaders, drawing to
plotting, and everything before the load to the modules beside this folder. Only `notebook` imports it.
"""
