#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# lying.py SOCKET OP HOW: serves one node; the replies to OP are lies. HOW is error=N, short, long, op, two (two
# descriptors come with a reply, and with a MAD) or hostile (texts with control characters).
import contextlib
import os
import socket
import struct
import sys

HELLO, OPEN, REGISTER, UNREGISTER, SEND, ISSM, INFO, SYSFS, CONTROL, TREE = range(1, 11)
lie, how = globals()[sys.argv[2]], sys.argv[3]
kept = []
HOSTILE = '\x1b]0;evil\x07\x1b[31m\x7f\u009b\u202e'.encode() + b'\x9b'
# files of sysfs by their last names; directories are below SOCKET.sysfs/0/class, and devices in SOCKET.sysfs/0/dev
FILES = {'abi_version': b'5', 'ibdev': b'sim0', 'port': b'1', 'node_type': b'1: CA', 'node_guid': b'0000:0000:0000:0001',
         'sys_image_guid': b'0000:0000:0000:0001', 'state': b'4: ACTIVE', 'phys_state': b'5: LinkUp', 'lid': b'0x1',
         'sm_lid': b'0x1', 'sm_sl': b'0', 'lid_mask_count': b'0', 'rate': b'10 Gb/sec (4X)', 'cap_mask': b'0x0',
         'link_layer': b'InfiniBand', '0': b'fe80:0000:0000:0000:0000:0000:0000:0002', 'hca_type': b'type', 'fw_ver': b'1'}
CA_DIRECTORY = {True: 's\x1b[31m', False: 'sim0'}[how == 'hostile' and lie == SYSFS]
for path in 'class/infiniband_mad/umad0', f'class/infiniband/{CA_DIRECTORY}/ports/1', 'dev/infiniband':
    os.makedirs(f'{sys.argv[1]}.sysfs/0/{path}', exist_ok=True)
with contextlib.suppress(FileExistsError):
    os.mkfifo(f'{sys.argv[1]}.sysfs/0/dev/infiniband/umad0')


def sysfs(name, hostile):
    if hostile and name in ('hca_type', 'fw_ver', 'link_layer', 'state', 'rate'):
        return FILES[name][:3] + HOSTILE + b'\n'
    return (CA_DIRECTORY.encode() if name == 'ibdev' else FILES.get(name, b'')) + b'\n'


def mad_with_two(end):
    files = [os.memfd_create('mad') for _ in range(2)]
    for file in files:
        os.write(file, bytes(256))
    # struct proto_mad: PROTO_PASSED
    socket.send_fds(end, [struct.pack('<6I40x', 0, 0, 0, 0, 1, 256)], files)
    for file in files:
        os.close(file)


def serve(client):
    while packet := client.recv(1 << 16):
        op, error, value, rest, fds = struct.unpack_from('<I', packet)[0], 0, 7, b'', []
        hostile = op == lie and how == 'hostile'
        text = HOSTILE if hostile else b''
        if op == HELLO:
            rest = struct.pack('<QQBBB5x64s72s72s', 1, 1, 1, 1, 1, b'sim0', text or b'node', text or b'node')
        elif op == INFO:
            rest = struct.pack('<QQQIIIII4B64s64s64s', 1, 2, 0xfe80 << 48, 1, 5, 1, 10, 0, 0, 0, 4, 5, text or b'sim0', text, text)
        elif op == OPEN:
            pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            kept.extend(pair)
            fds = [pair[1].fileno()]
            if how == 'two':
                mad_with_two(pair[0])
        elif op == SYSFS:
            rest = sysfs(packet[16:].decode().rsplit('/', 1)[-1], hostile)
        elif op == TREE:
            rest = f'{sys.argv[1]}.sysfs/0'.encode()
        elif op == CONTROL:
            # the exit status: of text for standard output, and of a message
            value, rest = (0 if b'stats' in packet else 2), text + b'\n'
        length, shown = len(rest), op
        if op == lie:
            if how.startswith('error='):
                error, rest, length, fds = int(how[6:]), b'', 0, []
            elif how == 'short':
                length += 1
            elif how == 'two':
                fds = 2 * (fds or [os.open('/dev/null', os.O_RDONLY)])
            elif how == 'hostile':
                pass
            elif how == 'long':
                rest, length = rest + bytes(2000), length + 2000
            else:
                shown = 77
        reply = struct.pack('<IIQIIQ', shown, error, value, 0, 0, length) + rest
        socket.send_fds(client, [reply], fds)


listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
listener.bind(sys.argv[1])
listener.listen()
print('serving', file=sys.stderr, flush=True)
while True:
    client = listener.accept()[0]
    try:
        serve(client)
    except OSError:
        pass
    client.close()
