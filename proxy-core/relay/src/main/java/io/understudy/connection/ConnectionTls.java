package io.understudy.connection;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.connection.auth.AuthException;
import io.understudy.handshake.tls.TlsFilesException;
import io.understudy.protocol.Capabilities;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS of connections to one server. Certificate files are read by the first connection that needs them, and again by
 * the first one after they have changed. Thread-safe.
 */
final class ConnectionTls implements LoginTls {
    private static final Logger log = LoggerFactory.getLogger(ConnectionTls.class);

    private final ServerTlsConfig config;
    private final Address address;
    /** Guarded by this, as the next. */
    private @Nullable SslContext context;

    private List<String> stamps = List.of();

    ConnectionTls(ServerTlsConfig config, Address address) {
        this.config = config;
        this.address = address;
    }

    @Override
    public boolean use(long server) throws AuthException {
        boolean offered = (server & Capabilities.SSL) != 0;
        return switch (config.mode()) {
            case DISABLED -> false;
            // Nobody can listen on a socket file; the servers' own clients decide alike.
            case PREFERRED, AS_CLIENT -> offered && !address.isUnix();
            default -> {
                if (!offered) {
                    throw new AuthException("the server offers no TLS though tls.mode demands it; "
                            + "give the server a certificate, or set tls: { mode: preferred }");
                }
                yield true;
            }
        };
    }

    @Override
    public SslHandler handler(ByteBufAllocator alloc) throws AuthException {
        if (config.mode() == ServerTlsMode.VERIFY_FULL && address.isUnix()) {
            throw new AuthException("a socket file has no host name to verify; use tls: { mode: verify-ca }");
        }
        SslContext ssl = context();
        SslHandler handler =
                address.isUnix() ? ssl.newHandler(alloc) : ssl.newHandler(alloc, address.host(), address.port());
        // The login's deadline covers the handshake.
        handler.setHandshakeTimeoutMillis(0);
        return handler;
    }

    /**
     * Returns the context, made again when a file has changed. While the changed files cannot be used, as half way
     * through a renewal, connections go on with what was read before.
     */
    private synchronized SslContext context() throws AuthException {
        List<String> present = stamps();
        SslContext last = context;
        if (last != null && present.equals(stamps)) {
            return last;
        }
        stamps = present;
        try {
            SslContext made = SectionTls.connecting(config);
            context = made;
            return made;
        } catch (TlsFilesException e) {
            if (last == null) {
                throw new AuthException(e.getMessage() + "; check ca, certificate and key of its tls section", e);
            }
            log.warn("{}: {}; its connections go on with the files as they were before", address, e.getMessage());
            return last;
        }
    }

    /** Returns what differs when a file was written again or replaced. */
    private List<String> stamps() {
        return Stream.of(config.ca(), config.certificate(), config.key())
                .filter(Objects::nonNull)
                .map(ConnectionTls::stamp)
                .toList();
    }

    private static String stamp(Path file) {
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            return now.fileKey() + " " + now.size() + " " + now.lastModifiedTime();
        } catch (IOException e) {
            return "not there";
        }
    }
}
