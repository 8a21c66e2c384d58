"""Session Flow (``.sf``): strict reading and writing of rounds, the chain, and its fold."""

from .chain import Chain, Head, Link, chained_input_digest, recover_head
from .fold import Delta, Fold
from .frames import Commit, Counts, Entity, Header, Node, Ref, Relation, Unresolved, attrs_of, record_order
from .round import Round, parse_round, round_bytes, round_name

__all__ = [
    "Chain",
    "Commit",
    "Counts",
    "Delta",
    "Entity",
    "Fold",
    "Head",
    "Header",
    "Link",
    "Node",
    "Ref",
    "Relation",
    "Round",
    "Unresolved",
    "attrs_of",
    "chained_input_digest",
    "parse_round",
    "record_order",
    "recover_head",
    "round_bytes",
    "round_name",
]
