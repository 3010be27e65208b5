package io.understudy.session;

import io.understudy.base.RepeatedWarning;
import io.understudy.handshake.LoginRefusal;
import io.understudy.metrics.CoreMetrics;
import io.understudy.plugin.SessionRefusal;
import io.understudy.wire.Leg;
import io.understudy.wire.MalformedPacketException;
import io.understudy.wire.compress.InflationRefusedException;
import io.understudy.wire.packet.ErrPacket;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Reports failures of a session: to the client as an ERR packet where one still fits, in the log, and in a metric. Ends
 * nothing itself: the session does, with the returned reason.
 *
 * @param repeated limits the lines that many sessions would log for one cause
 * @param serverThreadId of the session's phase, 0 while it is not known
 */
record SessionFaults(long id, Leg client, CoreMetrics metrics, RepeatedWarning repeated, LongSupplier serverThreadId) {
    private static final Logger log = LoggerFactory.getLogger(ClientSession.class);
    private static final int ER_OUTOFMEMORY = 1037;
    private static final int ER_OUT_OF_RESOURCES = 1041;
    private static final int ER_CON_COUNT = 1040;
    private static final int ER_BAD_HOST_ERROR = 1042;
    private static final int ER_HANDSHAKE = 1043;
    private static final int ER_UNKNOWN = 1105;
    private static final int ER_ACCESS_DENIED_NO_PASSWORD = 1698;
    private static final int ER_SERVER_SHUTDOWN = 1053;
    private static final int ER_MALFORMED = 1835;

    private static final String OUT_OF_DESCRIPTORS =
            "Too many connections (Understudy: out of file descriptors; raise its ulimit -n)";

    /** The primary cannot be connected to. */
    CloseReason serverFailed(SessionPhase phase, int code, String sqlState, String message) {
        metrics.connection("primary_unreachable");
        warn(message, message);
        tell(phase, code, sqlState, message);
        return CloseReason.PRIMARY_UNREACHABLE;
    }

    /** The primary has accepted the connection, and does not respond. */
    CloseReason serverSilent(SessionPhase phase, String server) {
        metrics.connection("primary_silent");
        String message = "no response from " + server + " within limits.handshakeTimeout: it is frozen or overloaded";
        warn(message, message);
        tell(phase, ER_BAD_HOST_ERROR, "08S01", "Can't connect to MySQL server (Understudy: " + message + ")");
        return CloseReason.PRIMARY_UNREACHABLE;
    }

    private LoggingEventBuilder about(LoggingEventBuilder event) {
        return about(event, serverThreadId.getAsLong());
    }

    private LoggingEventBuilder about(LoggingEventBuilder event, long thread) {
        LoggingEventBuilder keyed = event.addKeyValue("session", id);
        if (thread != 0) {
            keyed = keyed.addKeyValue("serverThreadId", thread);
        }
        return keyed.addKeyValue("client", client.remoteAddress());
    }

    private LoggingEventBuilder closed(LoggingEventBuilder event, CloseReason reason) {
        return about(event).addKeyValue("reason", reason.label());
    }

    /** Logs a warning that many sessions may have the same cause for. */
    private void warn(String cause, String message) {
        long others = repeated.mayLog(cause);
        if (others > 0) {
            about(log.atWarn())
                    .addKeyValue("repeated", others)
                    .log("{} ({} more sessions before, for the same reason)", message, others);
        } else if (others == 0) {
            about(log.atWarn()).log("{}", message);
        }
    }

    /** Another server is the primary now. The client gets what a server sends that shuts down. */
    CloseReason primaryChanged(SessionPhase phase) {
        about(log.atDebug()).log("closed, as its server is no longer the primary");
        tell(
                phase,
                ER_SERVER_SHUTDOWN,
                "08S01",
                "Server shutdown in progress (Understudy: the primary has changed; connect again)");
        return CloseReason.PRIMARY_CHANGED;
    }

    /**
     * The connection to the server was lost at a boundary, and the session waited for a primary. What the client has
     * sent meanwhile was not executed.
     *
     * @param back whether there is one
     */
    CloseReason serverLost(SessionPhase phase, boolean back) {
        String then = back ? "connect again" : "there is none within failover.hold";
        tell(
                phase,
                ER_SERVER_SHUTDOWN,
                "08S01",
                "Server shutdown in progress (Understudy: the connection to the primary was lost; " + then + ")");
        return CloseReason.SERVER_CLOSED;
    }

    /** Logged by whoever watches the process's descriptors, not for each session. */
    CloseReason outOfDescriptors(SessionPhase phase) {
        metrics.connection("refused_no_descriptors");
        tell(phase, ER_CON_COUNT, "08004", OUT_OF_DESCRIPTORS);
        return CloseReason.REFUSED_BY_PROXY;
    }

    CloseReason handshakeTimedOut(SessionPhase phase) {
        metrics.connection("handshake_timeout");
        String message = "no login within the handshake timeout";
        warn(message, message);
        tell(phase, ER_HANDSHAKE, "08S01", "Understudy: the login was not complete within limits.handshakeTimeout");
        return CloseReason.HANDSHAKE_TIMEOUT;
    }

    /** The client has received the server's own error. */
    CloseReason refusedByServer(ErrPacket err) {
        metrics.connection("refused_by_server");
        about(log.atDebug()).log("the server refused: {} {}", err.code(), err.message());
        if (err.code() == ER_ACCESS_DENIED_NO_PASSWORD) {
            about(log.atInfo())
                    .log("ERROR 1698 is what the server says of accounts that need no password, such as those of"
                            + " unix_socket and auth_socket. Their server asks the socket file for the operating"
                            + " system's user at its other end; through a proxy that is the proxy's own user, or nobody"
                            + " over TCP. Give such accounts a method that works over the network");
        }
        return CloseReason.REFUSED_BY_SERVER;
    }

    CloseReason noTlsWithServer(SessionPhase phase, Throwable cause) {
        metrics.connection("server_tls_failed");
        String why = why(cause);
        warn("no TLS with the primary", "no TLS with the primary: " + why);
        // The same number as when no connection is possible; not 2026, a client library's own number, which clients
        // consider forged.
        tell(
                phase,
                ER_BAD_HOST_ERROR,
                "08S01",
                "TLS/SSL error with the primary (Understudy: " + why + "; see primary.tls)");
        return CloseReason.SERVER_TLS_FAILED;
    }

    /** This client waits for TLS and cannot be sent an error. */
    CloseReason noTlsWithClient(Throwable cause) {
        metrics.connection("client_tls_failed");
        warn("no TLS with the client", "no TLS with the client: " + why(cause));
        return CloseReason.CLIENT_TLS_FAILED;
    }

    private CloseReason malformed(SessionPhase phase, CloseReason reason, MalformedPacketException e) {
        if (phase instanceof LoggingIn) {
            warn(
                    "handshake " + reason.label() + e.kind().label(),
                    "closed in the handshake, " + reason.label() + ": " + e.getMessage());
            metrics.connection("handshake_malformed");
            tell(phase, ER_HANDSHAKE, "08S01", "Understudy: bad handshake: " + e.getMessage());
        } else {
            closed(log.atWarn(), reason).log("the session is closed, {}: {}", reason.label(), e.getMessage());
            tell(phase, ER_MALFORMED, "HY000", "Understudy: malformed communication packet: " + e.getMessage());
        }
        return reason;
    }

    /** A packet does not fit: the session continues unread. */
    void unread(RuntimeException fault) {
        if (fault instanceof MalformedPacketException malformed) {
            String kind = malformed.kind().label();
            metrics.unread(kind);
            long others = repeated.mayLog("unread " + kind);
            if (others >= 0) {
                boolean clone = malformed.kind() == MalformedPacketException.Kind.CLONE;
                LoggingEventBuilder event =
                        about(clone ? log.atInfo() : log.atWarn()).addKeyValue("reason", kind);
                (others == 0 ? event : event.addKeyValue("repeated", others))
                        .log(
                                "the session is relayed unread from here on, unseen by plugins: {} ({})",
                                malformed.getMessage(),
                                kind);
            }
        } else {
            metrics.unread("internal_error");
            about(log.atError())
                    .addKeyValue("reason", "internal_error")
                    .setCause(fault)
                    .log("the session is relayed unread from here on, unseen by plugins: error of the proxy's own");
        }
    }

    private CloseReason refused(SessionPhase phase, LoginRefusal e) {
        metrics.connection(e.outcome());
        about(log.atDebug()).addKeyValue("reason", e.outcome()).log("refused: {}", e.getMessage());
        tell(phase, e.error().code(), e.error().sqlState(), e.error().message());
        return CloseReason.REFUSED_BY_PROXY;
    }

    /** Returns whether the peer has sent a TLS alert. OpenSSL, BoringSSL and the JDK all name it so in the message. */
    static boolean isAlert(Throwable cause) {
        String message = cause.getMessage();
        return message != null && message.toLowerCase(Locale.ROOT).contains("alert");
    }

    /** Returns the reason that counts a failure below the session. */
    private static CloseReason reason(Throwable cause, CloseReason tlsReason) {
        if (cause instanceof OutOfMemoryError) {
            return CloseReason.OUT_OF_MEMORY;
        }
        if (cause instanceof InflationRefusedException) {
            return CloseReason.MEMORY_LIMIT;
        }
        return cause instanceof SSLException ? tlsReason : CloseReason.INTERNAL_ERROR;
    }

    /**
     * Logs a failure below the session and tells the client.
     *
     * @param malformed the reason where bytes could not be decoded
     * @param tlsReason the reason where TLS failed
     */
    CloseReason failed(SessionPhase phase, CloseReason malformed, CloseReason tlsReason, Throwable cause) {
        if (cause instanceof MalformedPacketException packet) {
            return malformed(phase, malformed, packet);
        }
        CloseReason reason = reason(cause, tlsReason);
        try {
            failed(phase, reason, cause);
        } catch (OutOfMemoryError e) {
            log.atError().addKeyValue("session", id).log("the session ends for want of memory");
        }
        return reason;
    }

    private void failed(SessionPhase phase, CloseReason reason, Throwable cause) {
        switch (reason) {
            case OUT_OF_MEMORY -> {
                closed(log.atError(), reason)
                        .log(
                                "the session is closed, {}: {}; give the JVM more with -Xmx or"
                                        + " -XX:MaxDirectMemorySize, or lower listen.maxConnections",
                                reason.label(),
                                cause.getMessage());
                tell(phase, ER_OUTOFMEMORY, "HY001", "Out of memory (Understudy); restart the statement");
            }
            case MEMORY_LIMIT -> {
                closed(log.atWarn(), reason).log("the session is closed, {}: {}", reason.label(), why(cause));
                tell(phase, ER_OUT_OF_RESOURCES, "HY000", "Out of memory (Understudy: " + why(cause) + ")");
            }
            case INTERNAL_ERROR -> ownError(phase, cause);
            default -> closed(log.atWarn(), reason).log("the session is closed, {}: {}", reason.label(), why(cause));
        }
    }

    /**
     * Reports what a phase has thrown.
     *
     * @param malformed the reason where a packet does not fit the protocol
     */
    CloseReason thrown(SessionPhase phase, CloseReason malformed, RuntimeException e) {
        if (e instanceof MalformedPacketException packet) {
            return malformed(phase, malformed, packet);
        }
        if (e instanceof PluginRefusal plugin) {
            return refusedByPlugin(phase, plugin.refusal);
        }
        return e instanceof LoginRefusal refusal ? refused(phase, refusal) : ownError(phase, e);
    }

    /** A plugin refuses the login, or ends the session. */
    CloseReason refusedByPlugin(SessionPhase phase, SessionRefusal refusal) {
        metrics.refusedByPlugin(refusal.plugin(), refusal.reason());
        boolean login = phase instanceof LoggingIn;
        if (login) {
            metrics.connection("refused_by_plugin");
        }
        String what = "plugin " + refusal.plugin() + (login ? " refused a login: " : " ended the session: ");
        warn(what + refusal.reason(), what + refusal.message());
        tell(phase, refusal.code(), refusal.sqlState(), refusal.message());
        return CloseReason.REFUSED_BY_PLUGIN;
    }

    private CloseReason ownError(SessionPhase phase, Throwable e) {
        closed(log.atError(), CloseReason.INTERNAL_ERROR)
                .setCause(e)
                .log("the session is closed by an error of the proxy's own");
        tell(phase, ER_UNKNOWN, "HY000", "Understudy: internal error, see the proxy's log");
        return CloseReason.INTERNAL_ERROR;
    }

    private void tell(SessionPhase phase, int code, String sqlState, String message) {
        int sequence = phase.errorSequence();
        if (sequence >= 0) {
            client.write(new ErrPacket(code, sqlState, message).encode(client.alloc(), sequence, true));
        }
    }

    /** @param last the phase in which the session ended */
    void ended(SessionPhase last, CloseReason reason) {
        if (log.isDebugEnabled()) {
            about(log.atDebug(), last.serverThreadId())
                    .addKeyValue("reason", reason.label())
                    .log("the session ended");
        }
    }

    /** Returns a fault in words: what a driver or the network library calls it tells a user nothing. */
    static String why(Throwable cause) {
        if (cause instanceof ClosedChannelException) {
            return "the connection was closed";
        }
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }
}
