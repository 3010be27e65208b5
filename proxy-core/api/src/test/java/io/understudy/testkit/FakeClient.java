package io.understudy.testkit;

import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugin.SessionVariable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A client, its server and the tracker between them, as one observer that injects statements sees them. */
public final class FakeClient extends FakeSession {
    private static final String NONE = "-";

    private final SessionObserver observer;
    /** The observer, until it is retired. */
    private SessionObserver called;

    private boolean autocommit = true;
    private boolean inTransaction;
    private long number;
    private int refusal;
    private String injected = NONE;
    private final List<Runnable> responses = new ArrayList<>();

    public FakeClient(String user, Function<SessionContext, SessionObserver> open) {
        super(user);
        observer = open.apply(this);
        called = observer;
    }

    public FakeClient(String user, String serverVersion, Function<SessionContext, SessionObserver> open) {
        super(user, "shop", "127.0.0.1", serverVersion);
        observer = open.apply(this);
        called = observer;
    }

    public SessionObserver observer() {
        return observer;
    }

    /** Sets the error number with which the server refuses injected statements; 0 for none. */
    public void refuseWith(int errorCode) {
        refusal = errorCode;
    }

    /** Returns the statements injected before the last one, or "-". */
    public String injected() {
        return injected;
    }

    /** Completes the login; returns the statements injected after it, or "-". */
    public String logIn() {
        injected = NONE;
        set(null, true);
        receive();
        return injected;
    }

    /** Sends a statement and receives its response; returns the statements injected before it, or "-". */
    public String run(String sql) {
        response(send(sql, !inTransaction));
        return injected();
    }

    /** Sends a statement without receiving its response yet. */
    public FakeExchange send(String sql, boolean boundary) {
        FakeExchange command = FakeExchange.to(sql).numbered(++number).beganInTransaction(inTransaction);
        String settingText = SessionVariable.settingText(command);
        injected = NONE;
        if (boundary || !inTransaction && owes()) {
            called.chooseVariables(command, boundary);
            set(settingText, boundary);
        }
        if (settingText != null) {
            observer.variables().forEach(variable -> variable.sent(settingText));
        }
        called.onCommand(command);
        receive();
        return command;
    }

    private void receive() {
        responses.forEach(Runnable::run);
        responses.clear();
    }

    /** Returns whether a variable must be set back. */
    public boolean owes() {
        return observer.variables().stream().anyMatch(SessionVariable::isAway);
    }

    /** Has the observer's methods called no more, as when one has thrown. */
    public void retire() {
        observer.variables().forEach(SessionVariable::release);
        called = SessionObserver.NONE;
        observer.onClose("retired");
    }

    private void set(@Nullable String settingText, boolean boundary) {
        for (SessionVariable variable : observer.variables()) {
            InjectedStatement statement = variable.ahead(settingText, boundary);
            if (statement != null) {
                injected = injected.equals(NONE) ? statement.sql() : injected + "; " + statement.sql();
                InjectionResult result = refusal == 0 ? InjectionResult.OK : new InjectionResult(refusal, "refused");
                responses.add(() -> variable.responded(statement, result));
            }
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
        called.onResponse(command, command.affected(1).status(inTransaction, autocommit));
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
        observer.variables().forEach(SessionVariable::resetSent);
        observer.variables().forEach(SessionVariable::reset);
        called.onReset();
    }
}
