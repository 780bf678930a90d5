"""Vectors about segments, their CBOR, and entries."""
