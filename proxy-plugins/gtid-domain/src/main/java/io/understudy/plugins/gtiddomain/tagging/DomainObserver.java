package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.Interest;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugin.SessionVariable;
import io.understudy.plugin.VariableValue;
import io.understudy.plugins.gtiddomain.ownership.PendingWrite;
import io.understudy.plugins.gtiddomain.ownership.Work;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.protocol.CommandCode;
import io.understudy.sql.StatementSummary;
import java.util.List;
import java.util.function.Supplier;

/**
 * Follows one session: before a write, a begin of a transaction or their preparation, the session is set to the domain
 * that {@link WriteTagging} decides; before every other command the proxy sets it back to the default domain. A write
 * stays pending until its transaction has ended.
 */
public final class DomainObserver implements SessionObserver {
    private final SessionContext session;
    private final SharedTagging shared;
    private final SessionPolicy current;
    private final CommandReader reader;
    private final SessionDomain domain;
    private final WriteTagging writes;
    private final LostWrites lost;
    private final PendingWrites pendingWrites = new PendingWrites();

    private long thread;
    private boolean inTransaction;
    private boolean probed;
    /** Number of the last command that may have changed the session's role. */
    private long roleCommand = -1;
    /** Number of the last command that resets the session. */
    private long resetCommand = -1;

    public DomainObserver(SessionContext session, Supplier<Policy> policies, SharedTagging shared) {
        this.session = session;
        this.shared = shared;
        current = new SessionPolicy(session, policies);
        reader = new CommandReader(session, shared.dictionary());
        VariableValue defaultDomain = current.get().value(DomainIndexes.DEFAULT);
        domain = new SessionDomain(session, shared.accounts(), shared.meters(), pendingWrites, defaultDomain);
        writes = new WriteTagging(session, shared, current, domain, reader);
        lost = new LostWrites(session, shared);
        thread = session.serverThreadId();
        shared.threads().began(thread);
        // Unless earlier sessions of the user tell it, so that even a first write can be tagged.
        probeEarly();
    }

    @Override
    public int interests() {
        return Interest.BOUNDARY | Interest.COMMANDS | Interest.STATEMENTS | Interest.RESPONSES;
    }

    @Override
    public List<SessionVariable> variables() {
        return List.of(domain.variable);
    }

    /**
     * Decides about a preparation as about the execution, which clients send immediately after it: then it would be too
     * late.
     */
    @Override
    public void chooseVariables(CommandView command, boolean atBoundary) {
        StatementSummary summary = command.summary();
        if (!atBoundary) {
            if (command.isStatement()
                    && writes.follows(command, summary, reader.work(command, summary, current.get().guarded))) {
                domain.variable.keep();
            }
            return;
        }
        refresh();
        Policy policy = current.get();
        Work work = reader.work(command, summary, policy.guarded);
        writes.atBoundary(command, work);
        if (work == Work.BEGIN
                || !session.settings().autocommit() && work != Work.STEERS && CommandReader.begins(command, summary)) {
            beginning(policy);
        } else if (work.writes()) {
            writes.before(command, summary, work);
        } else if (work != Work.STEERS && !domain.variable.isAway()) {
            probeEarly();
        }
    }

    /** Takes the latest policy, and its statement that sets the session back. */
    private void refresh() {
        if (current.refresh()) {
            probed = false;
            domain.variable.restAt(current.get().value(DomainIndexes.DEFAULT));
        }
    }

    /** Takes a transaction to the domain of its session. */
    private void beginning(Policy policy) {
        if (!policy.tagging || domain.leftAlone()) {
            return;
        }
        int to = policy.indexForTransaction(current.rules());
        boolean may = domain.variable.isAway()
                || domain.isIn(to)
                || !domain.refused()
                || shared.accounts().mayTry(session.user());
        if (may) {
            domain.steer(to, policy);
        }
    }

    /**
     * Probes the privilege before the first write, also where no rule can match: its tables may belong to a domain.
     * After a refusal only writes probe again.
     */
    private void probeEarly() {
        Policy policy = current.get();
        boolean concerned = policy.tagging && policy.pin && policy.rules.size() > 0;
        if (!probed && concerned && !domain.leftAlone() && domain.unknown()) {
            probed = true;
            domain.probe(policy);
        }
    }

    @Override
    public void onCommand(CommandView command) {
        if (!command.isStatement() && command.code() != CommandCode.STMT_PREPARE) {
            switch (command.code()) {
                case CommandCode.RESET_CONNECTION, CommandCode.CHANGE_USER -> {
                    resetCommand = command.number();
                    domain.resetSent();
                    writes.reset();
                }
                case CommandCode.INIT_DB -> writes.reset();
                default -> {
                    // What is pipelined behind it runs as before it.
                }
            }
            return;
        }
        StatementSummary summary = command.summary();
        Decision found = WriteTagging.decision(command);
        if (found == null && pendingWrites.none()) {
            // An earlier ownership waits for its pending writes only: a transaction's first one comes to the present.
            refresh();
        }
        Work work = found == null ? reader.work(command, summary, current.get().guarded) : found.work;
        if (command.isStatement()) {
            if (work != Work.STEERS && Work.mayChangeRole(command, summary)) {
                roleCommand = command.number();
            }
            if (CommandReader.changesSchema(command, summary)) {
                shared.dictionary().changed();
            }
        }
        PendingWrite pending = writes.sent(command, summary, work);
        command.attach(pending);
        if (pending != null) {
            pendingWrites.sent(pending);
        }
    }

    @Override
    public void onResponse(CommandView command, ResponseView response) {
        if (command.number() == roleCommand) {
            domain.changesRole();
            probed = false;
        }
        if (command.number() == resetCommand) {
            domain.resetAnswered();
        }
        Policy policy = current.get();
        if (command.code() == CommandCode.STMT_PREPARE) {
            if (command.attachment() instanceof PendingWrite pending) {
                command.attach(null);
                pendingWrites.onResponse(pending, false, policy);
            }
            return;
        }
        // An error response has no status flags.
        boolean known = response.ok() && command.isStatement();
        inTransaction = known ? response.inTransaction() : inTransaction || response.inTransaction();
        if (command.attachment() instanceof PendingWrite pending) {
            command.attach(null);
            pendingWrites.onResponse(pending, inTransaction, policy);
            if (CommandReader.changesSchema(command, command.summary())) {
                shared.dictionary().changed();
            }
        }
        if (known && !inTransaction && !pendingWrites.noTransaction()) {
            pendingWrites.transactionOver();
        }
    }

    @Override
    public void onReset() {
        domain.reset();
        writes.reset();
        probed = false;
        inTransaction = false;
        pendingWrites.transactionOver();
    }

    @Override
    public void onMoved() {
        shared.threads().ended(thread);
        thread = session.serverThreadId();
        shared.threads().began(thread);
        onReset();
    }

    @Override
    public void onClose(String reason) {
        Policy policy = current.get();
        switch (reason) {
            case LostWrites.UNREAD -> {
                shared.threads().lost(thread);
                lost.unread(domain.announced(policy), policy, pendingWrites.takeAll(), writes.unsent());
            }
            case "retired" -> {
                shared.threads().lost(thread);
                int index = domain.variable.isAway() ? DomainIndexes.DEFAULT : domain.announced(policy);
                lost.unfollowed("a fault of the plugin", index, policy, pendingWrites.takeAll(), writes.unsent());
            }
            case "removed" -> { // nothing is followed any more, so nothing else is recorded
                shared.threads().lost(thread);
                lost.ended(pendingWrites.takeAll(), writes.unsent());
            }
            default -> {
                shared.threads().ended(thread);
                lost.ended(pendingWrites.takeAll(), writes.unsent());
            }
        }
    }
}
