package io.understudy;

import com.github.luben.zstd.util.Native;
import io.netty.handler.ssl.SslContext;
import io.understudy.config.Address;
import io.understudy.config.Compression;
import io.understudy.config.ListenTls;
import io.understudy.config.PrimaryConfig;
import io.understudy.config.ServerCompression;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.config.UnderstudyConfig;
import io.understudy.connection.SectionTls;
import io.understudy.handshake.LoginPolicy;
import io.understudy.handshake.LoginPolicy.ConnectionTls;
import io.understudy.handshake.LoginPolicy.ServerTls;
import io.understudy.handshake.tls.ReloadableTls;
import io.understudy.handshake.tls.TlsFilesException;
import io.understudy.protocol.Capabilities;
import java.net.InetSocketAddress;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates the objects that a login works with from the configuration of the two legs. Not thread-safe. */
final class LegSetup {
    private static final Logger log = LoggerFactory.getLogger(LegSetup.class);

    private final @Nullable ReloadableTls clientEnd;
    private final @Nullable ReloadableTls serverEnd;
    private final LoginPolicy policy;
    private final ServerTlsMode serverMode;

    /**
     * @param primaryAddress the present primary's, whose certificate is verified
     * @throws IllegalStateException when certificates or keys cannot be used; the message names the files
     */
    LegSetup(UnderstudyConfig config, Supplier<Address> primaryAddress) {
        try {
            ListenTls listen = config.listen().tls();
            PrimaryConfig primary = config.primary();
            serverMode = primary.tls().mode();
            clientEnd = listen.terminates() ? ReloadableTls.accepting(SectionTls.accepting(listen)) : null;
            serverEnd = primary.tls().mode() == ServerTlsMode.DISABLED
                    ? null
                    : ReloadableTls.connecting(SectionTls.connecting(primary.tls()), () -> peer(primaryAddress.get()));
            policy = new LoginPolicy(
                    clientTls(listen),
                    clientEnd,
                    serverTls(primary.tls()),
                    serverEnd,
                    config.listen().compression().stream()
                            .mapToLong(LegSetup::bit)
                            .reduce(0, (a, b) -> a | b),
                    primary.compressesAsClient(),
                    primary.compression().stream()
                            .filter(one -> one != ServerCompression.AS_CLIENT)
                            .map(LegSetup::bit)
                            .toList(),
                    LoginPolicy.Proofs.OFF);
        } catch (TlsFilesException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
        if (config.listen().compression().contains(Compression.ZSTD)) {
            loadZstd();
        }
    }

    /** Without a file descriptor the first session that wants it would fail, and with it every later one. */
    private static void loadZstd() {
        try {
            Native.load();
        } catch (LinkageError e) {
            log.warn(
                    "zstd cannot be loaded, so clients that want it will fail; set listen.compression: [zlib], or check"
                            + " that the folder for temporary files can be written and executed from",
                    e);
        }
    }

    private static @Nullable InetSocketAddress peer(Address address) {
        return address.isUnix() ? null : address.toInet();
    }

    LoginPolicy policy() {
        return policy;
    }

    /**
     * Reads certificates and keys again.
     *
     * @param config may differ from the first one in the names of files. Modes stay as they were, and where the
     *     primary's differs its files wait, too: they belong to that mode
     * @return what has connections made from then on use them
     * @throws TlsFilesException when a file cannot be used
     */
    Runnable reload(UnderstudyConfig config) throws TlsFilesException {
        SslContext nextClient = clientEnd == null || !config.listen().tls().terminates()
                ? null
                : SectionTls.accepting(config.listen().tls());
        ServerTlsConfig files = config.primary().tls();
        SslContext nextServer = serverEnd == null || files.mode() != serverMode ? null : SectionTls.connecting(files);
        return () -> {
            if (clientEnd != null && nextClient != null) {
                clientEnd.replace(nextClient);
            }
            if (serverEnd != null && nextServer != null) {
                serverEnd.replace(nextServer);
            }
        };
    }

    private static long bit(Compression compression) {
        return switch (compression) {
            case ZLIB -> Capabilities.COMPRESS;
            case ZSTD -> Capabilities.ZSTD_COMPRESSION;
        };
    }

    private static long bit(ServerCompression compression) {
        return bit(Compression.valueOf(compression.name()));
    }

    private static ConnectionTls clientTls(ListenTls tls) {
        return switch (tls.mode()) {
            case DISABLED -> ConnectionTls.DISABLED;
            case OPTIONAL -> ConnectionTls.OPTIONAL;
            case REQUIRED -> ConnectionTls.REQUIRED;
            case PASSTHROUGH -> ConnectionTls.PASSTHROUGH;
        };
    }

    private static ServerTls serverTls(ServerTlsConfig tls) {
        return switch (tls.mode()) {
            case DISABLED -> ServerTls.DISABLED;
            case PREFERRED -> ServerTls.PREFERRED;
            case AS_CLIENT -> ServerTls.AS_CLIENT;
            case REQUIRED, VERIFY_CA, VERIFY_FULL -> ServerTls.REQUIRED;
        };
    }
}
