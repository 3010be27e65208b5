package io.understudy.testkit;

import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A client, its server and the tracker between them, as one observer that injects statements sees them. */
public final class FakeClient extends FakeSession {
    private static final String NONE = "-";

    private final SessionObserver observer;
    private boolean autocommit = true;
    private boolean inTransaction;
    private long number;
    private int refusal;
    private @Nullable String injected;

    public FakeClient(String user, Function<SessionContext, SessionObserver> open) {
        super(user);
        observer = open.apply(this);
    }

    public FakeClient(String user, String serverVersion, Function<SessionContext, SessionObserver> open) {
        super(user, "shop", "127.0.0.1", serverVersion);
        observer = open.apply(this);
    }

    public SessionObserver observer() {
        return observer;
    }

    /** Sets the error number with which the server refuses injected statements; 0 for none. */
    public void refuseWith(int errorCode) {
        refusal = errorCode;
    }

    /** Returns the statement injected before the last one, or "-". */
    public String injected() {
        return injected == null ? NONE : injected;
    }

    /** Completes the login; returns the statement injected after it, or "-". */
    public String logIn() {
        injected = null;
        inject(observer.afterLogin());
        return injected();
    }

    /** Sends a statement and receives its response; returns the statement injected before it, or "-". */
    public String run(String sql) {
        response(send(sql, !inTransaction));
        return injected();
    }

    /** Sends a statement without receiving its response yet. */
    public FakeExchange send(String sql, boolean boundary) {
        FakeExchange command = FakeExchange.to(sql).numbered(++number).beganInTransaction(inTransaction);
        InjectedStatement statement = null;
        if (boundary) {
            statement = observer.beforeCommand(command);
        } else if (!inTransaction && observer.owes()) {
            statement = observer.beforeUnknown(command);
        }
        observer.onCommand(command);
        injected = null;
        inject(statement);
        return command;
    }

    private void inject(@Nullable InjectedStatement statement) {
        if (statement != null) {
            injected = statement.sql();
            observer.onInjected(statement, refusal == 0 ? InjectionResult.OK : new InjectionResult(refusal, "refused"));
        }
    }

    /** Receives the response to a statement: one row affected. */
    public void response(FakeExchange command) {
        switch (command.kind()) {
            case BEGIN -> inTransaction = true;
            case COMMIT, ROLLBACK, CREATE, ALTER, DROP, TRUNCATE -> inTransaction = false;
            case SET -> {
                String text = command.text();
                if (text != null && text.contains("autocommit=0")) {
                    autocommit = false;
                }
            }
            default -> inTransaction |= !autocommit;
        }
        observer.onResponse(command, command.affected(1).status(inTransaction, autocommit));
    }

    /** Sets autocommit as the server has it at the login. */
    public void setAutocommit(boolean on) {
        autocommit = on;
    }

    @Override
    public boolean autocommit() {
        return autocommit;
    }

    /** Sends COM_RESET_CONNECTION and receives OK. */
    public void resetConnection() {
        inTransaction = false;
        autocommit = true;
        observer.onReset();
    }
}
