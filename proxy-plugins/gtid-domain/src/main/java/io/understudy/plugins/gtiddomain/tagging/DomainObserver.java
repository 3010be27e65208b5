package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.Interest;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugin.SessionVariable;
import io.understudy.plugin.VariableValue;
import io.understudy.plugins.gtiddomain.ownership.Conflict;
import io.understudy.plugins.gtiddomain.ownership.PendingWrite;
import io.understudy.plugins.gtiddomain.ownership.TableEntry;
import io.understudy.plugins.gtiddomain.ownership.Work;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.steering.LeverObserver;
import io.understudy.protocol.CommandCode;
import io.understudy.sql.StatementSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows one session: before a write, a begin of a transaction or their preparation, the session is set to the domain
 * that {@link WriteTagging} decides; before every other command the proxy sets it back to the default domain. A write
 * stays pending until its transaction has ended.
 */
public final class DomainObserver implements SessionObserver {
    private static final Logger log = LoggerFactory.getLogger(DomainObserver.class);

    private final SessionContext session;
    private final SharedTagging shared;
    private final LeverObserver levers;
    private final CommandReader reader;
    private final SessionDomain domain;
    private final WriteTagging writes;
    private final PendingWrites pendingWrites = new PendingWrites();

    private long thread;
    private boolean inTransaction;
    private boolean probed;
    /** Number of the last command that may have changed the session's role. */
    private long roleCommand = -1;
    /** Number of the last command that resets the session. */
    private long resetCommand = -1;

    /** @param levers of the session, which are followed, too */
    public DomainObserver(
            SessionContext session, Supplier<Policy> policies, SharedTagging shared, LeverObserver levers) {
        this.session = session;
        this.shared = shared;
        this.levers = levers;
        reader = new CommandReader(session, policies, shared.dictionary());
        VariableValue defaultDomain = reader.policy().value(DomainIndexes.DEFAULT);
        domain = new SessionDomain(session, shared.accounts(), shared.meters(), pendingWrites, defaultDomain);
        writes = new WriteTagging(session, shared, domain, reader);
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
        List<SessionVariable> all = new ArrayList<>(levers.variables());
        all.add(0, domain.variable);
        return all;
    }

    /**
     * Decides about a preparation as about the execution, which clients send immediately after it: then it would be too
     * late.
     */
    @Override
    public void chooseVariables(CommandView command, boolean atBoundary) {
        chooseDomain(command, atBoundary);
        levers.chooseVariables(command, atBoundary);
    }

    private void chooseDomain(CommandView command, boolean atBoundary) {
        StatementSummary summary = command.summary();
        if (!atBoundary) {
            if (command.isStatement() && writes.follows(command, summary, reader.work(command, summary))) {
                domain.variable.keep();
            }
            return;
        }
        refresh();
        Policy policy = reader.policy();
        Work work = reader.work(command, summary);
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
        if (reader.refresh()) {
            probed = false;
            domain.variable.restAt(reader.policy().value(DomainIndexes.DEFAULT));
        }
    }

    /** Takes a transaction to the domain of its session. */
    private void beginning(Policy policy) {
        if (!policy.tagging || domain.leftAlone()) {
            return;
        }
        int to = policy.indexForTransaction(reader.rules());
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
        Policy policy = reader.policy();
        boolean concerned = policy.tagging && policy.pin && policy.rules.size() > 0;
        if (!probed && concerned && !domain.leftAlone() && domain.unknown()) {
            probed = true;
            domain.probe(policy);
        }
    }

    @Override
    public void onCommand(CommandView command) {
        announce(command);
        levers.onCommand(command);
    }

    private void announce(CommandView command) {
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
        WriteTagging.Decision found = WriteTagging.decision(command);
        if (found == null && pendingWrites.none()) {
            // An earlier ownership waits for its pending writes only: a transaction's first one comes to the present.
            refresh();
        }
        Work work = found == null ? reader.work(command, summary) : found.work;
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
        Policy policy = reader.policy();
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
        switch (reason) {
            case "unread" -> unfollowed("a packet that does not fit the protocol", domain.announced(reader.policy()));
            case "retired" ->
                unfollowed(
                        "a fault of the plugin",
                        domain.variable.isAway() ? DomainIndexes.DEFAULT : domain.announced(reader.policy()));
            case "removed" -> shared.threads().lost(thread); // nothing is followed any more, so nothing is recorded
            default -> shared.threads().ended(thread);
        }
        List<PendingWrite> open = pendingWrites.takeAll();
        PendingWrite unsent = writes.unsent();
        if (unsent != null) {
            open.add(unsent); // decided about, as of a command that a plugin has refused
        }
        // The server may still execute the statement, and may commit.
        if (!open.isEmpty()) {
            shared.orphans().take(session.serverThreadId(), open);
        }
    }

    /**
     * Until the server's thread is gone the session counts as one long statement whose tables are not known, so that no
     * table leaves the default domain for another one than the session's.
     *
     * @param index index of the domain in which it stays
     */
    private void unfollowed(String why, int index) {
        Policy policy = reader.policy();
        shared.threads().lost(thread);
        if (policy.guarded) {
            TableEntry[] unknown = {policy.ownership.unknown()};
            pendingWrites.sent(policy.ownership.force(unknown, index, Conflict.NO_BOUNDARY, Work.CALLS, 0, false));
        }
        shared.meters().unfollowed(index);
        long others = shared.unfollowed().mayLog(why);
        if (others >= 0) {
            log.warn(
                    "gtid-domain: the session of {} on server thread {} is no longer followed because of {}; it stays"
                            + " in domain {} and, until it ends, keeps tables from leaving the default domain{}",
                    session.user(),
                    session.serverThreadId(),
                    why,
                    policy.label(index),
                    others == 0 ? "" : " (" + others + " more sessions before, for the same reason)");
        }
    }
}
