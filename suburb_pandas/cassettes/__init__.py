"""Owns cassettes: files of recorded calls in vcrpy's YAML format, from which requests are answered without a call.

`cassette.cassette` is the block that uses one, and `cassette.Cassette` the cassette in use; file reads and appends to
the file, in the format of vcr_yaml.
Leaves to client and purchasing which requests are answered from a cassette. client and the folders above it may import
it; http and store may not.
Never run what a file says, and never write a key, a cookie or a balance into one.
"""
