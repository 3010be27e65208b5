package io.understudy.connection;

import io.understudy.connection.auth.LoginSecret;
import io.understudy.handshake.CapabilityFilter;
import io.understudy.protocol.Capabilities;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a login to a server says: the content of its HandshakeResponse41 except for what the server's leg decides.
 *
 * @param schema default schema, or null
 * @param capabilities without {@link CapabilityFilter#OF_A_LEG}; CONNECT_WITH_DB follows the schema
 * @param collation id of the connection's collation, of which one byte is sent
 * @param maxPacket longest packet that the client accepts, in bytes; servers take it as a limit for the connection
 * @param attributes connection attributes, sent if {@code capabilities} has their bit
 * @param clientTls whether the client's leg has TLS, which {@code primary.tls.mode: as-client} follows
 */
public record ServerLogin(
        String user,
        LoginSecret secret,
        @Nullable String schema,
        long capabilities,
        int collation,
        long maxPacket,
        Map<String, String> attributes,
        boolean clientTls) {
    /** Without these no server that is supported lets anybody in. */
    static final long NEEDED = Capabilities.PROTOCOL_41 | Capabilities.SECURE_CONNECTION;

    /** utf8mb4_general_ci, which has the same number in both products. */
    private static final int COLLATION = 45;

    private static final long MAX_PACKET = 1L << 30;

    /**
     * Capabilities that the proxy asks for. LONG_PASSWORD says that it does not know MariaDB's extended bits. Without
     * session tracking, which nothing reads here, and without compression, which costs more than it saves for responses
     * that are dropped.
     */
    private static final long WANTED = NEEDED
            | Capabilities.LONG_PASSWORD
            | Capabilities.LONG_FLAG
            | Capabilities.TRANSACTIONS
            | Capabilities.MULTI_RESULTS
            | Capabilities.PS_MULTI_RESULTS
            | Capabilities.PLUGIN_AUTH
            | Capabilities.PLUGIN_AUTH_LENENC_DATA
            | Capabilities.CONNECT_ATTRS
            | Capabilities.DEPRECATE_EOF;

    public ServerLogin {
        capabilities &= ~CapabilityFilter.OF_A_LEG & ~Capabilities.CONNECT_WITH_DB;
        if (schema != null) {
            capabilities |= Capabilities.CONNECT_WITH_DB;
        }
    }

    /** Returns the login of one of the proxy's own accounts. */
    static ServerLogin own(Credentials account) {
        return new ServerLogin(
                account.user(),
                LoginSecret.of(account.password()),
                null,
                WANTED,
                COLLATION,
                MAX_PACKET,
                Map.of("program_name", "understudy"),
                false);
    }
}
