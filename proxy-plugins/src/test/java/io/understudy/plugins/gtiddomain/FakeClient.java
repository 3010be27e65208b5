package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionSettings;
import io.understudy.plugins.testkit.StatementView;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** A client, its server and the tracker between them, as an observer sees them. */
final class FakeClient implements SessionContext, SessionSettings {
    private final String user;
    final DomainObserver observer;
    boolean autocommit = true;
    boolean temporaryTables;
    private boolean inTransaction;
    private long number;
    /** Error number with which the server refuses injected statements; 0 for none. */
    int refuseWith;
    /** Statement injected before the last one. */
    @Nullable
    String injected;

    FakeClient(Fixture fixture, String user) {
        this.user = user;
        observer = new DomainObserver(
                this, () -> fixture.policy, fixture.accounts, fixture.meters, fixture.dictionary, fixture.orphans);
    }

    /** Completes the login; returns the statement injected after it, or "-". */
    String logIn() {
        InjectedStatement injectedSql = observer.afterLogin();
        if (injectedSql == null) {
            return "-";
        }
        observer.onInjected(
                injectedSql, refuseWith == 0 ? InjectionResult.OK : new InjectionResult(refuseWith, "refused"));
        return injectedSql.sql();
    }

    /** Sends a statement and receives its response; returns the statement injected before it, or "-". */
    String run(String sql) {
        Command command = send(sql, !inTransaction);
        response(command);
        return injected == null ? "-" : injected;
    }

    /** Sends a statement without receiving its response yet. */
    Command send(String sql, boolean boundary) {
        Command command = new Command(++number, sql, inTransaction);
        injected = null;
        InjectedStatement injectedSql = null;
        if (boundary) {
            injectedSql = observer.beforeCommand(command);
        } else if (!inTransaction && observer.owes()) {
            injectedSql = observer.beforeUnknown(command);
        }
        observer.onCommand(command);
        if (injectedSql != null) {
            injected = injectedSql.sql();
            observer.onInjected(
                    injectedSql, refuseWith == 0 ? InjectionResult.OK : new InjectionResult(refuseWith, "refused"));
        }
        return command;
    }

    void response(Command command) {
        switch (command.kind()) {
            case BEGIN -> inTransaction = true;
            case COMMIT, ROLLBACK, CREATE, ALTER, DROP, TRUNCATE -> inTransaction = false;
            case SET -> {
                if (command.text().contains("autocommit=0")) {
                    autocommit = false;
                }
            }
            default -> inTransaction |= !autocommit;
        }
        observer.onResponse(command, new Response(inTransaction, autocommit));
    }

    void resetConnection() {
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
        return "11.4.5-MariaDB";
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
        return this;
    }

    @Override
    public boolean known() {
        return true;
    }

    @Override
    public int loginCollation() {
        return 45;
    }

    @Override
    public @Nullable String characterSet() {
        return null;
    }

    @Override
    public @Nullable String timeZone() {
        return null;
    }

    @Override
    public @Nullable String sqlMode() {
        return null;
    }

    @Override
    public int sqlModes() {
        return 0;
    }

    @Override
    public boolean temporaryTables() {
        return temporaryTables;
    }

    @Override
    public boolean lockedTables() {
        return false;
    }

    static final class Command extends StatementView {
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
            return 1;
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
