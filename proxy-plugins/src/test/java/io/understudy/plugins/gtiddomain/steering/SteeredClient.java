package io.understudy.plugins.gtiddomain.steering;

import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionSettings;
import io.understudy.plugins.testkit.StatementView;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A client and its server, as the observer sees them. */
final class SteeredClient implements SessionContext {
    final LeverObserver observer;
    private final String user;
    private final String version;
    private boolean autocommit = true;
    private boolean inTransaction;
    private long number;
    /** Error number with which the server refuses injected statements; 0 for none. */
    int refuseWith;

    SteeredClient(Supplier<Levers> levers, String user, String version) {
        this.user = user;
        this.version = version;
        observer = new LeverObserver(this, levers);
    }

    /** Sends a statement and receives its response; returns the statement injected before it, or "-". */
    String run(String sql) {
        String injected = send(sql, !inTransaction);
        if (sql.equals("BEGIN")) {
            inTransaction = true;
        } else if (sql.equals("COMMIT")) {
            inTransaction = false;
        } else if (sql.equals("SET autocommit=0")) {
            autocommit = false;
        } else {
            inTransaction |= !autocommit;
        }
        observer.onResponse(new Command(number, sql, false), new Response(inTransaction, autocommit));
        return injected;
    }

    /** Sends a statement without receiving its response yet; returns the statement injected before it, or "-". */
    String send(String sql, boolean boundary) {
        Command command = new Command(++number, sql, inTransaction);
        InjectedStatement injected = null;
        if (boundary) {
            injected = observer.beforeCommand(command);
        } else if (!inTransaction && observer.owes()) {
            injected = observer.beforeUnknown(command);
        }
        observer.onCommand(command);
        if (injected == null) {
            return "-";
        }
        observer.onInjected(
                injected, refuseWith == 0 ? InjectionResult.OK : new InjectionResult(refuseWith, "refused"));
        return injected.sql();
    }

    void reset() {
        inTransaction = false;
        autocommit = true;
        observer.onReset();
    }

    @Override
    public long id() {
        return 1;
    }

    @Override
    public String user() {
        return user;
    }

    @Override
    public @Nullable String schema() {
        return "shop";
    }

    @Override
    public SocketAddress clientAddress() {
        return new InetSocketAddress("127.0.0.1", 4000);
    }

    @Override
    public ServerFlavor flavor() {
        return ServerFlavor.MARIADB;
    }

    @Override
    public String serverVersion() {
        return version;
    }

    @Override
    public long serverThreadId() {
        return 77;
    }

    @Override
    public long capabilities() {
        return 0;
    }

    @Override
    public SessionSettings settings() {
        throw new UnsupportedOperationException("levers need no settings");
    }

    private static final class Command extends StatementView {
        private final long number;
        private final boolean inTransactionBefore;

        Command(long number, String sql, boolean inTransactionBefore) {
            super(sql);
            this.number = number;
            this.inTransactionBefore = inTransactionBefore;
        }

        @Override
        public long number() {
            return number;
        }

        @Override
        public boolean inTransactionBefore() {
            return inTransactionBefore;
        }
    }

    private record Response(boolean inTransaction, boolean autocommit) implements ResponseView {
        @Override
        public boolean ok() {
            return true;
        }

        @Override
        public int errorCode() {
            return 0;
        }

        @Override
        public int status() {
            return (inTransaction ? 1 : 0) | (autocommit ? 2 : 0);
        }

        @Override
        public long affectedRows() {
            return 0;
        }

        @Override
        public long rows() {
            return 0;
        }

        @Override
        public long bytes() {
            return 7;
        }

        @Override
        public long firstByteNanos() {
            return 0;
        }

        @Override
        public long lastByteNanos() {
            return 0;
        }

        @Override
        public @Nullable String gtid() {
            return null;
        }
    }
}
