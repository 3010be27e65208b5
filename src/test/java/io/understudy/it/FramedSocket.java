package io.understudy.it;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * A client's socket that uses the compressed protocol after the login. Every flush is a command in frames numbered from
 * 0. The frames of a response must have the numbers set by {@link #expect}.
 */
final class FramedSocket implements Closeable {
    private static final int FRAME = 60_000;
    private static final int TIMEOUT_MILLIS = 20_000;

    private final Socket socket;
    private final DataInputStream received;
    private boolean compressed;
    private boolean deflates;
    private int nextFrame;
    private byte[] content = new byte[0];
    private int at;
    private final List<Integer> contents = new ArrayList<>();

    FramedSocket(InetSocketAddress address) throws IOException {
        this(new Socket(address.getAddress(), address.getPort()));
    }

    FramedSocket(Socket connected) throws IOException {
        socket = connected;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        received = new DataInputStream(socket.getInputStream());
    }

    void compress() {
        compressed = true;
    }

    /** Compresses the frames that are sent from now on; otherwise they say that they are not. */
    void deflate() {
        deflates = true;
    }

    /** Expects the next frame to start a response with this number. */
    void expect(int frame) throws IOException {
        if (at < content.length) {
            throw new IOException((content.length - at) + " bytes of the frame before were not read");
        }
        nextFrame = frame;
    }

    InputStream in() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
            }

            @Override
            public int read(byte[] bytes, int from, int length) throws IOException {
                if (!compressed) {
                    return received.read(bytes, from, length);
                }
                try {
                    while (at == content.length) {
                        readFrame();
                    }
                } catch (EOFException e) {
                    return -1;
                }
                int count = Math.min(length, content.length - at);
                System.arraycopy(content, at, bytes, from, count);
                at += count;
                return count;
            }
        };
    }

    private int octets(int count) throws IOException {
        int value = 0;
        for (int i = 0; i < count; i++) {
            value |= received.readUnsignedByte() << 8 * i;
        }
        return value;
    }

    private void readFrame() throws IOException {
        int length = octets(3);
        int number = octets(1);
        int original = octets(3);
        byte[] bytes = received.readNBytes(length);
        if (number != (nextFrame & 0xFF)) {
            throw new IOException("frame " + number + " instead of " + (nextFrame & 0xFF));
        }
        nextFrame++;
        content = original == 0 ? bytes : inflated(bytes, original);
        at = 0;
        contents.add(content.length);
    }

    /** Returns how many bytes of packets each frame received since the last call held. */
    List<Integer> takeContents() {
        List<Integer> taken = List.copyOf(contents);
        contents.clear();
        return taken;
    }

    private static byte[] inflated(byte[] bytes, int length) throws IOException {
        Inflater inflater = new Inflater();
        inflater.setInput(bytes);
        byte[] made = new byte[length];
        try {
            if (inflater.inflate(made) != length) {
                throw new IOException("a frame holds less than it says");
            }
        } catch (DataFormatException e) {
            throw new IOException(e);
        } finally {
            inflater.end();
        }
        return made;
    }

    OutputStream out() {
        return new OutputStream() {
            private final ByteArrayOutputStream waiting = new ByteArrayOutputStream();

            @Override
            public void write(int octet) {
                waiting.write(octet);
            }

            @Override
            public void write(byte[] bytes, int from, int length) {
                waiting.write(bytes, from, length);
            }

            @Override
            public void flush() throws IOException {
                byte[] bytes = waiting.toByteArray();
                waiting.reset();
                if (!compressed) {
                    socket.getOutputStream().write(bytes);
                    return;
                }
                int number = 0;
                for (int from = 0; from < bytes.length; from += FRAME) {
                    int length = Math.min(FRAME, bytes.length - from);
                    socket.getOutputStream().write(frame(bytes, from, length, number++));
                }
            }
        };
    }

    private byte[] frame(byte[] bytes, int from, int length, int number) {
        byte[] content = new byte[deflates ? length + 100 : 0];
        int made = 0;
        if (deflates) {
            Deflater deflater = new Deflater();
            deflater.setInput(bytes, from, length);
            deflater.finish();
            made = deflater.deflate(content);
            deflater.end();
        }
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        int sent = deflates ? made : length;
        frame.write(sent);
        frame.write(sent >> 8);
        frame.write(sent >> 16);
        frame.write(number);
        int original = deflates ? length : 0;
        frame.write(original);
        frame.write(original >> 8);
        frame.write(original >> 16);
        frame.write(deflates ? content : bytes, deflates ? 0 : from, sent);
        return frame.toByteArray();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
