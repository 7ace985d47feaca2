"""Composes charts around data: title, badge, legend, panels with their labels, and foot, all in one style.

Owns the look of all charts, which style and colours set down, and where everything goes in a figure of any size.
It knows no suburbs and no frames: what is drawn and what is said is left to the modules of plotting.
Only plotting may import it.
"""
