package io.understudy.it;

import io.understudy.protocol.Capabilities;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** A client with or without TLS and compression that leaves in one of the ways in which clients do. */
final class DepartingClient implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 20_000;
    /** Bytes of statements in one frame. */
    private static final int BATCH = 50_000;

    private static final int ZSTD_LEVEL = 3;

    private static final SSLContext TRUSTING = trusting();

    /** The kind of the client's connection. */
    enum Form {
        PLAIN(false, false),
        TLS(true, false),
        COMPRESSED(false, true),
        TLS_COMPRESSED(true, true);

        final boolean tls;
        final boolean compressed;

        Form(boolean tls, boolean compressed) {
            this.tls = tls;
            this.compressed = compressed;
        }
    }

    /** Its way of leaving. */
    enum Departure {
        FIN(false),
        RESET(false),
        /** The FIN of one direction: the client could still read. */
        HALF(false),
        CLOSE_NOTIFY(true),
        CLOSE_NOTIFY_AND_FIN(true);

        final boolean needsTls;

        Departure(boolean needsTls) {
            this.needsTls = needsTls;
        }
    }

    private final FramedSocket framed;
    private final Socket raw;
    private final @Nullable SSLSocket tls;
    private final RawClient client;
    private final long capabilities;

    private DepartingClient(
            FramedSocket framed, Socket raw, @Nullable SSLSocket tls, RawClient client, long capabilities) {
        this.framed = framed;
        this.raw = raw;
        this.tls = tls;
        this.client = client;
        this.capabilities = capabilities;
    }

    static DepartingClient login(InetSocketAddress address, ServerUnderTest server, Form form) throws IOException {
        return login(address, server, form, "TLSv1.3", "TLSv1.2");
    }

    /** @param protocols versions of TLS that it offers */
    static DepartingClient login(InetSocketAddress address, ServerUnderTest server, Form form, String... protocols)
            throws IOException {
        DepartingClient opened = open(address, form, Capabilities.COMPRESS, protocols);
        Packet response = opened.client.tryLogin(
                server.user(), server.password(), ServerUnderTest.SCHEMA, opened.capabilities, form.tls ? 2 : 1);
        if (!response.isOk()) {
            throw new IOException("login failed: " + response.hex());
        }
        if (form.compressed) {
            opened.framed.compress();
        }
        return opened;
    }

    /**
     * Logs in and sends commands behind the login without waiting for its OK.
     *
     * @param compression capability bit of the form's compression
     */
    static DepartingClient loginWith(
            InetSocketAddress address, ServerUnderTest server, Form form, long compression, byte[] commands)
            throws IOException {
        DepartingClient opened = open(address, form, compression, "TLSv1.3", "TLSv1.2");
        opened.client.awaitHandshakeV10();
        byte[] response = opened.client.handshakeResponse(
                server.user(), server.password(), ServerUnderTest.SCHEMA, opened.capabilities);
        boolean zstd = (opened.capabilities & Capabilities.ZSTD_COMPRESSION) != 0;
        opened.client.sendRaw(new Payload()
                .uint(response.length + (zstd ? 1 : 0), 3)
                .uint(form.tls ? 2 : 1, 1)
                .raw(response)
                .uint(ZSTD_LEVEL, zstd ? 1 : 0)
                .raw(commands)
                .bytes());
        return opened;
    }

    private static DepartingClient open(InetSocketAddress address, Form form, long compression, String... protocols)
            throws IOException {
        Socket raw = new Socket(address.getAddress(), address.getPort());
        raw.setTcpNoDelay(true);
        raw.setSoTimeout(TIMEOUT_MILLIS);
        byte[] handshakeV10 = handshakeV10(raw);
        long capabilities = RawClient.PLAIN | (form.compressed ? compression : 0);
        SSLSocket tls = null;
        if (form.tls) {
            capabilities |= Capabilities.SSL;
            byte[] request = new Payload()
                    .uint(32, 3)
                    .uint(1, 1)
                    .uint(capabilities | RawClient.CONNECT_WITH_DB, 4)
                    .uint(1 << 24, 4)
                    .uint(45, 1)
                    .zeros(23)
                    .bytes();
            raw.getOutputStream().write(request);
            // Layered and without closing the socket below, so that a close_notify can leave without a FIN.
            tls = (SSLSocket) TRUSTING.getSocketFactory()
                    .createSocket(raw, address.getAddress().getHostAddress(), address.getPort(), false);
            tls.setEnabledProtocols(protocols);
            tls.startHandshake();
        }
        FramedSocket socket = new FramedSocket(tls == null ? raw : tls);
        InputStream in = new SequenceInputStream(new ByteArrayInputStream(handshakeV10), socket.in());
        RawClient client = RawClient.over(in, socket.out(), raw);
        return new DepartingClient(socket, raw, tls, client, capabilities);
    }

    private static byte[] handshakeV10(Socket raw) throws IOException {
        DataInputStream in = new DataInputStream(raw.getInputStream());
        byte[] header = in.readNBytes(4);
        int length = (int) RawClient.uint(header, 0, 3);
        return new Payload().raw(header).raw(in.readNBytes(length)).bytes();
    }

    void query(String sql) throws IOException {
        client.query(sql);
    }

    /** Returns when the TLS session began; a connection that resumes it has the time of the first. */
    long tlsSessionBegan() {
        return Objects.requireNonNull(tls).getSession().getCreationTime();
    }

    /** Sends statements without waiting for responses. */
    void pipeline(List<String> statements) throws IOException {
        framed.deflate();
        Payload packets = new Payload();
        int size = 0;
        for (String sql : statements) {
            byte[] text = sql.getBytes(StandardCharsets.UTF_8);
            packets.uint(text.length + 1, 3).uint(0, 1).uint(3, 1).raw(text);
            size += text.length;
            // Frames that hold whole commands begin with number 0, as servers expect.
            if (size > BATCH) {
                client.sendRaw(packets.bytes());
                packets = new Payload();
                size = 0;
            }
        }
        client.sendRaw(packets.bytes());
    }

    /** Ends its sending side and could still read. */
    void endSending(boolean closeNotify, boolean fin) throws IOException {
        if (closeNotify) {
            sayFarewell();
        }
        if (fin) {
            raw.shutdownOutput();
        }
    }

    long threadId() {
        return client.threadId();
    }

    void leave(Departure departure) throws IOException {
        switch (departure) {
            case FIN -> raw.close();
            case RESET -> {
                raw.setSoLinger(true, 0);
                raw.close();
            }
            case HALF -> raw.shutdownOutput();
            case CLOSE_NOTIFY -> sayFarewell();
            default -> {
                sayFarewell();
                raw.close();
            }
        }
    }

    private void sayFarewell() throws IOException {
        Objects.requireNonNull(tls).shutdownOutput();
        if (raw.isOutputShutdown() || raw.isClosed()) {
            throw new IllegalStateException("the close_notify took a FIN with it");
        }
    }

    @Override
    public void close() throws IOException {
        raw.close();
    }

    private static SSLContext trusting() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new Trusting()}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class Trusting implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
