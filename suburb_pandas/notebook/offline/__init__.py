"""Keeps a notebook that is checked off the network.

Owns ``sitecustomize``, which Python imports at start-up because rerun puts this folder on the path of the kernel.
No module of the package imports it.
"""
