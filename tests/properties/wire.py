# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Captures of -w, and the few fields of MADs that the properties look at, by their positions in the IBA."""
from __future__ import annotations

import struct
from dataclasses import dataclass

SMP_LID, SMP_DIRECT, SUBN_ADM, PERF = 0x01, 0x81, 0x03, 0x04
GET, SET, GET_RESP = 0x01, 0x02, 0x81
NODE_DESCRIPTION, NODE_INFO, PORT_INFO, LFT, MFT = 0x10, 0x11, 0x15, 0x19, 0x1b
PORT_COUNTERS = 0x12


@dataclass
class Mad:
    dlid: int
    slid: int
    raw: bytes

    @property
    def mgmt_class(self) -> int:
        return self.raw[1]

    @property
    def method(self) -> int:
        return self.raw[3]

    @property
    def tid(self) -> int:
        return int.from_bytes(self.raw[8:16], 'big')

    @property
    def attribute(self) -> int:
        return int.from_bytes(self.raw[16:18], 'big')

    @property
    def modifier(self) -> int:
        return int.from_bytes(self.raw[20:24], 'big')

    @property
    def status(self) -> int:
        return int.from_bytes(self.raw[4:6], 'big') & 0x7fff

    @property
    def path(self) -> tuple[int, ...]:
        """The ports by which an SMP with a directed route leaves each node."""
        return tuple(self.raw[128 + 1:128 + 1 + self.raw[7]])

    @property
    def is_smp(self) -> bool:
        return self.mgmt_class in (SMP_LID, SMP_DIRECT)

    @property
    def data(self) -> bytes:
        if self.is_smp:
            return self.raw[64:128]
        return self.raw[24:]

    @property
    def port_select(self) -> int:
        """Of the attributes of PerfMgt that begin with a reserved byte and PortSelect."""
        return self.raw[24 + 40 + 1]


def read(path: str) -> list[Mad]:
    """The MADs of a capture: pcap, link type ERF, records of type 21 with LRH, GRH, BTH and DETH."""
    data = open(path, 'rb').read()
    magic, _, _, _, _, _, link = struct.unpack_from('<IHHiIII', data)
    if magic != 0xa1b23c4d or link != 197:
        raise ValueError(f'{path}: not a capture of -w')
    at, mads = 24, []
    while at < len(data):
        length = struct.unpack_from('<I', data, at + 8)[0]
        frame = data[at + 16:at + 16 + length]
        at += 16 + length
        if frame[8] & 0x7f != 21 or len(frame) != length:
            raise ValueError(f'{path}: a record that is not InfiniBand, or cut short')
        lrh = frame[16:24]
        start = 24 + (40 if lrh[1] & 3 == 3 else 0) + 12 + 8
        mads.append(Mad(int.from_bytes(lrh[2:4], 'big'), int.from_bytes(lrh[6:8], 'big'), frame[start:start + 256]))
    return mads
