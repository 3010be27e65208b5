package io.understudy.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.understudy.command.Exchange;
import io.understudy.command.SessionModel;
import io.understudy.command.StatementGate;
import io.understudy.command.response.ResponseGrammars;
import io.understudy.plugin.InjectedStatement;
import io.understudy.protocol.CommandCode;
import io.understudy.wire.Packets;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Injects statements ahead of a client's statement, or of its preparation. Both are sent together, so an injection
 * costs no round trip; each response has its owner before it arrives. Nothing is injected ahead of a statement that
 * reads diagnostics, because the injected statement would clear them.
 *
 * <p>Only the statement that an observer needs right after the login is sent alone, because the observer needs its
 * result before the first command; the session holds that command until then.
 */
final class BoundaryInjector implements StatementGate {
    private final SessionModel model;
    private final ObserverChain observers;
    private final ByteBufAllocator alloc;
    private final Consumer<ByteBuf> toServer;
    /** Whether the command for which the gate was opened last is at a boundary. */
    private boolean atBoundary;
    /** Whether the statement is followed by no command that gets a response. */
    private boolean alone;

    BoundaryInjector(SessionModel model, ObserverChain observers, ByteBufAllocator alloc, Consumer<ByteBuf> toServer) {
        this.model = model;
        this.observers = observers;
        this.alloc = alloc;
        this.toServer = toServer;
    }

    @Override
    public boolean open(int code) {
        boolean wanted = switch (code) {
            case CommandCode.QUERY, CommandCode.STMT_EXECUTE, CommandCode.STMT_BULK_EXECUTE, CommandCode.STMT_PREPARE ->
                observers.wants();
            default -> false;
        };
        atBoundary = wanted && model.atBoundary();
        return atBoundary || !model.inTransaction() && mayWrite(code) && observers.owes();
    }

    /**
     * Returns whether the command may write. An unknown command may. So may long data: after it nothing can be injected
     * ahead of the execution.
     */
    private static boolean mayWrite(int code) {
        return switch (code) {
            case CommandCode.SLEEP,
                    CommandCode.QUIT,
                    CommandCode.INIT_DB,
                    CommandCode.FIELD_LIST,
                    CommandCode.REFRESH,
                    CommandCode.SHUTDOWN,
                    CommandCode.STATISTICS,
                    CommandCode.PROCESS_INFO,
                    CommandCode.PROCESS_KILL,
                    CommandCode.DEBUG,
                    CommandCode.PING,
                    CommandCode.CHANGE_USER,
                    CommandCode.STMT_CLOSE,
                    CommandCode.STMT_RESET,
                    CommandCode.STMT_FETCH,
                    CommandCode.SET_OPTION,
                    CommandCode.RESET_CONNECTION -> false;
            default -> true;
        };
    }

    @Override
    public void beforeStatement(Exchange exchange) {
        alone = ResponseGrammars.to(exchange.code()) == null;
        observers.ahead(exchange, atBoundary, this);
    }

    /**
     * Sends statements whose results observers need before the session's first command. Returns whether there is a
     * response to wait for.
     */
    boolean afterLogin() {
        if (!model.atBoundary()) {
            return false;
        }
        alone = true;
        observers.afterLogin(this);
        return !model.inFlight().isEmpty();
    }

    /** Injects a statement, whose result that observer gets. */
    void inject(InjectedStatement statement, int observer) {
        byte[] sql = statement.sql().getBytes(StandardCharsets.UTF_8);
        ByteBuf packet = Packets.query(alloc, sql, model.hasQueryAttributes());
        if (alone) {
            model.expectInjectedAlone(statement, observer);
        } else {
            model.expectInjected(statement, observer);
        }
        toServer.accept(packet);
    }
}
