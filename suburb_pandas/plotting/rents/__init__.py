"""Draws series of rents, their index or their growth, as lines.

``chart`` decides on the panels; the others read the series, choose the measure, and draw lines and small panels.
The look and the arrangement are left to composition, words around the lines to notes.
plots may import it, and flags takes a limit from it; nothing else does.
"""
