"""Watching a storage root: what changed, complete and coalesced.

`RootWatcher` calls back with `Changes`: which conversations have other round files than before, which sessions other
landed files, which conversations came or went, and whether the root itself did.

Owns: the watcher's thread and the remembered state of the root. It reads no file, only directories, and writes nothing.

How it works. The truth is a *remembered tree* (`tree.py`): for every directory that matters its stamp (device, inode,
mtime, ctime) and a 64-bit mark of the matching names in it. A directory whose stamp moved is listed again, and when its
mark moved it is reported. Whatever else happens (events lost, doubled or made up) only decides *when* a directory is
looked at. It is looked at
- when a native event names it (`native.py`, watchdog), after the burst has calmed down;
- every `poll` seconds when its conversation is in focus, new, or changed lately;
- in turn with all the others (`pace.py`), as many each `poll` as fit into 0.7 % of a core.

Only names that match the patterns of a published file count, so a temporary name never does. Files are published by
rename, so a name that matches is a complete file. Where somebody copies files in place all the same, the reader finds
a round that does not read and says `again`: it is reported anew with a growing delay until the reader says `done`.

Costs: a look at an unchanged directory is one stat (2.5 to 5 us; on NFS an open, which makes it ask its server);
a changed one costs its listing, O(names). Memory is O(directories), not O(files). Threads: one, and watchdog's own
(four in version 7, five before). File handles: none of its own between two looks, and three of watchdog's.
"""

from asz_core.watch.changes import Changes
from asz_core.watch.root import RootWatcher

__all__ = ["Changes", "RootWatcher"]
