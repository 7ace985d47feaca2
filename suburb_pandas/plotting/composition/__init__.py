"""Composes charts around data: title, badge, legend, panels with their labels, and foot, all in one style.

Owns the look of all charts (in style and colours), and the place of each part in a figure of any size.
It knows no suburbs and no frames: the data and the words are left to the modules of plotting.
Only plotting may import it.
"""
