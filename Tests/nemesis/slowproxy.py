"""Carries TCP connections to a server, and holds back what goes through it.

    slowproxy.py ADDRESS:PORT ADDRESS:PORT

listens on the first address and connects to the second one. Each line on standard input, `UP DOWN`,
sets how many seconds bytes are held back on the way to the server and from it. It ends with its
standard input.
"""
import asyncio
import sys

delays = {"up": 0.0, "down": 0.0}


async def carry(reader, writer, way):
    """Bytes keep their order; each is late by what held when it came."""
    queue = asyncio.Queue()

    async def deliver():
        while (item := await queue.get()) is not None:
            at, data = item
            left = at - asyncio.get_running_loop().time()
            if left > 0:
                await asyncio.sleep(left)
            writer.write(data)
            await writer.drain()
        writer.close()

    delivery = asyncio.create_task(deliver())
    try:
        while data := await reader.read(65536):
            queue.put_nowait((asyncio.get_running_loop().time() + delays[way], data))
    except OSError:
        pass
    queue.put_nowait(None)
    try:
        await delivery
    except OSError:
        writer.close()


async def connect(reader, writer, target):
    try:
        server_reader, server_writer = await asyncio.open_connection(*target)
    except OSError:
        writer.transport.abort()
        return
    await asyncio.gather(carry(reader, server_writer, "up"), carry(server_reader, writer, "down"))


async def listen(source, target):
    await asyncio.start_server(
        lambda reader, writer: connect(reader, writer, target), *source, reuse_address=True)
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    print("ready", flush=True)
    while line := await lines.readline():
        up, down = line.split()
        delays["up"], delays["down"] = float(up), float(down)


def address(text):
    host, _, port = text.rpartition(":")
    return host, int(port)


if __name__ == "__main__":
    asyncio.run(listen(address(sys.argv[1]), address(sys.argv[2])))
