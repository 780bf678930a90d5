"""Hashes, ciphers and integers (Spec/container.md, 1; Spec/keys.md, 1)."""

import hashlib
import hmac as _hmac

from argon2.low_level import Type, hash_secret_raw
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

ZERO_NONCE = bytes(12)


def u16(number):
    return number.to_bytes(2, "big")


def u32(number):
    return number.to_bytes(4, "big")


def u64(number):
    return number.to_bytes(8, "big")


def align(number, step):
    """`number` rounded up to a multiple of `step`."""
    return -(-number // step) * step


def sha256(data):
    return hashlib.sha256(data).digest()


def hmac(key, data):
    return _hmac.new(key, data, "sha256").digest()


def pbkdf2(password, salt, iterations):
    return hashlib.pbkdf2_hmac("sha256", password, salt, iterations, 32)


def argon2id(password, salt, memory, passes, lanes):
    """Argon2id, version 1.3 (RFC 9106), with `memory` in KiB."""
    return hash_secret_raw(password, salt, passes, memory, lanes, 32, Type.ID, 0x13)


def hkdf(ikm, salt, info, length):
    """HKDF-SHA256, extract and expand (RFC 5869)."""
    key = hmac(salt or bytes(32), ikm)
    out = block = b""
    while len(out) < length:
        block = hmac(key, block + info + bytes([len(out) // 32 + 1]))
        out += block
    return out[:length]


def gcm(key, nonce, plaintext, aad=b""):
    """AES-256-GCM: ciphertext and tag."""
    return AESGCM(key).encrypt(nonce, plaintext, aad)


def block_cipher(key, block):
    """AES-256 of one block."""
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(block)


def times(x, y):
    """The product of two elements of GCM's field, 128-bit integers whose highest bit is the coefficient of 1."""
    product = 0
    for bit in range(127, -1, -1):
        product ^= y if x >> bit & 1 else 0
        y = y >> 1 ^ (0xe1 << 120 if y & 1 else 0)
    return product


def keystream(key, length):
    """AES-256-CTR keystream, counter block starting at zero (container.md, 3.4)."""
    return masked(key, bytes(length))


def masked(key, data):
    """Data XOR the keystream (container.md, 3.5)."""
    return Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor().update(data)


def padme(length):
    """Padmé of a length (container.md, 3.4)."""
    exponent = length.bit_length() - 1
    low = exponent - exponent.bit_length()
    mask = (1 << low) - 1
    return (length + mask) & ~mask


class Draws:
    """The random source of one vector: SHA-256 of its seed and a counter, as one long stream."""

    def __init__(self, seed):
        self.seed, self.counter, self.buffer = seed.encode(), 0, b""

    def take(self, length):
        while len(self.buffer) < length:
            self.buffer += sha256(self.seed + b"\x00" + u64(self.counter))
            self.counter += 1
        out, self.buffer = self.buffer[:length], self.buffer[length:]
        return out


def x25519_public(secret):
    """What the secret key shares with the base point."""
    return x25519(secret, bytes([9]) + bytes(31))


def x25519(secret, public):
    return X25519PrivateKey.from_private_bytes(secret).exchange(X25519PublicKey.from_public_bytes(public))
