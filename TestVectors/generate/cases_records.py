"""Vectors about stored records, their chunks, and what must not be unpacked."""
