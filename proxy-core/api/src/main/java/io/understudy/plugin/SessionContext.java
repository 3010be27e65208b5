package io.understudy.plugin;

import java.net.SocketAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One session, valid for the life of its observer. Values are current when read on the session's event loop. */
public interface SessionContext {
    /** Returns the proxy's number of the session, unique while the process runs. */
    long id();

    /** Returns the user name of the login, or of the last successful COM_CHANGE_USER. */
    String user();

    /**
     * Returns the default schema as known from login, COM_INIT_DB, USE and session tracking, or null when there is
     * none.
     */
    @Nullable
    String schema();

    /**
     * Returns whether a command that may change the schema has been sent and not been answered: {@link #schema} is then
     * not that of a command behind it.
     */
    boolean schemaInFlight();

    /** Returns the client's address; with the PROXY protocol, the address in its header. */
    SocketAddress clientAddress();

    /** Returns the primary's product, as its handshake packet reports it. */
    ServerFlavor flavor();

    /** Returns the version in the server's handshake packet. */
    String serverVersion();

    /** Returns the value of CONNECTION_ID() on the primary. */
    long serverThreadId();

    /** Returns the bits of {@code io.understudy.protocol.Capabilities} that the client and the server agreed on. */
    long capabilities();

    /** Returns whether the client's leg is encrypted by the proxy. False for TLS that is passed through. */
    boolean isTls();

    /**
     * Returns the subject of the client's certificate, as in RFC 2253, or null if it has shown none that the proxy has
     * verified, see {@code listen.tls.clientCa}.
     */
    @Nullable
    String certificateSubject();

    /**
     * Returns the connection attributes of the login by name, such as {@code program_name}; empty if the client sent
     * none. Whatever the client claims; at most 4,096 characters are kept.
     */
    Map<String, String> attributes();

    /**
     * Refuses the session. In {@link ProxyPlugin#openSession} that refuses the login: the client gets the error in
     * place of the server's OK. Later it ends the session at its next boundary, at once if it is idle. At a boundary in
     * {@link SessionObserver#beforeCommand} the command is not sent, and the error is its response; that is not asked
     * for other commands than its three, such as COM_STMT_PREPARE, nor away from a boundary. A statement that was sent
     * before is executed, and the error follows its response.
     *
     * <p>Thread-safe. The first call counts.
     */
    void refuse(SessionRefusal refusal);

    /** Returns the settings of the session that affect the meaning of a statement. */
    SessionSettings settings();
}
