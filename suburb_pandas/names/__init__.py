"""Holds the suburb names known on this machine, reads what people write for them, and searches and matches them.

`matching.verdict` decides which name a query means. The forms of names are in sal, those of written texts in written.
Leaves reading names from users' frames to frames, and asking the service about a name to geocoding. Every folder from
frames upwards may import it; it imports only errors, and not pandas.
Contains only pure functions and plain collections. Never choose a name for its similarity: search suggests, matching
decides.
"""
