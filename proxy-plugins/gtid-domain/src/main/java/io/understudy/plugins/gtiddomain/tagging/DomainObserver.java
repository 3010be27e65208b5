package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.Interest;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugins.gtiddomain.ownership.PendingWrite;
import io.understudy.plugins.gtiddomain.ownership.Work;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.protocol.CommandCode;
import io.understudy.sql.StatementSummary;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Follows one session: before a write, a begin of a transaction or their preparation, the session is set to the domain
 * that {@link WriteTagging} decides; before every other command it is set back to the default domain. A write stays
 * pending until its transaction has ended.
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

    private boolean inTransaction;
    private boolean probed;
    /** Number of the last command that may have changed the session's role. */
    private long roleCommand = -1;

    public DomainObserver(SessionContext session, Supplier<Policy> policies, SharedTagging shared) {
        this.session = session;
        this.shared = shared;
        current = new SessionPolicy(session, policies);
        reader = new CommandReader(session, shared.dictionary());
        domain = new SessionDomain(session, shared.accounts(), shared.meters());
        writes = new WriteTagging(session, shared, current, domain, reader);
        lost = new LostWrites(session, shared);
        shared.threads().began(session.serverThreadId());
    }

    @Override
    public int interests() {
        return Interest.BOUNDARY | Interest.COMMANDS | Interest.STATEMENTS | Interest.RESPONSES;
    }

    /** Probes the privilege unless earlier sessions of the user tell it, so that even a first write can be tagged. */
    @Override
    public @Nullable InjectedStatement afterLogin() {
        return probeEarly();
    }

    @Override
    public @Nullable InjectedStatement beforeCommand(CommandView command) {
        return ahead(command);
    }

    /**
     * Decides as for the execution, which clients send immediately after the preparation: then it would be too late.
     */
    @Override
    public @Nullable InjectedStatement beforePreparation(CommandView command) {
        return ahead(command);
    }

    private @Nullable InjectedStatement ahead(CommandView command) {
        if (current.refresh()) {
            probed = false;
        }
        Policy policy = current.get();
        StatementSummary summary = command.summary();
        Work work = reader.work(command, summary, policy.guarded);
        writes.atBoundary(command, work);
        if (work == Work.BEGIN
                || !session.settings().autocommit() && work != Work.STEERS && CommandReader.begins(command, summary)) {
            return beginning(policy);
        }
        if (work.writes()) {
            return writes.before(command, summary, work);
        }
        InjectedStatement back = domain.back(policy);
        return back != null || work == Work.STEERS ? back : probeEarly();
    }

    /** Returns the statement that takes a transaction to the domain of its session. */
    private @Nullable InjectedStatement beginning(Policy policy) {
        if (!policy.tagging || domain.leftAlone()) {
            return domain.back(policy);
        }
        int to = policy.indexForTransaction(current.rules());
        boolean may = domain.away()
                || domain.isIn(to)
                || !domain.refused()
                || shared.accounts().mayTry(session.user());
        return may ? domain.steer(to, policy) : null;
    }

    @Override
    public boolean owes() {
        return domain.away();
    }

    @Override
    public @Nullable InjectedStatement beforeUnknown(CommandView command) {
        Policy policy = current.get();
        if (command.isStatement()) {
            StatementSummary summary = command.summary();
            if (writes.follows(command, summary, reader.work(command, summary, policy.guarded))) {
                return null;
            }
        }
        return domain.back(policy);
    }

    /**
     * Probes the privilege before the first write, also where no rule can match: its tables may belong to a domain.
     * After a refusal only writes probe again.
     */
    private @Nullable InjectedStatement probeEarly() {
        Policy policy = current.get();
        boolean concerned = policy.tagging && policy.pin && policy.rules.size() > 0;
        if (probed || !concerned || domain.leftAlone() || !domain.unknown()) {
            return null;
        }
        probed = true;
        return domain.probe(policy);
    }

    @Override
    public void onCommand(CommandView command) {
        if (!command.isStatement() && command.code() != CommandCode.STMT_PREPARE) {
            return;
        }
        StatementSummary summary = command.summary();
        Work found = writes.workAtBoundary(command);
        if (found == null && pendingWrites.none()) {
            // An earlier ownership waits for its pending writes only: a transaction's first one comes to the present.
            current.refresh();
        }
        Work work = found == null ? reader.work(command, summary, current.get().guarded) : found;
        if (command.isStatement()) {
            if (work == Work.STEERS) {
                domain.clientSets();
            } else if (Work.mayChangeRole(command, summary)) {
                roleCommand = command.number();
            }
            if (CommandReader.changesSchema(command, summary)) {
                shared.dictionary().changed();
            }
        }
        PendingWrite pending = writes.sent(command, summary, work);
        if (pending != null) {
            pendingWrites.sent(pending);
            command.attach(pending);
        }
    }

    @Override
    public void onResponse(CommandView command, ResponseView response) {
        if (command.number() == roleCommand) {
            domain.changesRole();
            probed = false;
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
    public void onInjected(InjectedStatement statement, InjectionResult result) {
        domain.onInjected(statement, result, pendingWrites);
    }

    @Override
    public void onReset() {
        domain.reset();
        writes.reset();
        probed = false;
        inTransaction = false;
        pendingWrites.transactionOver();
    }

    /** Records that the session's further writes are unknown. */
    @Override
    public @Nullable InjectedStatement onRetired() {
        shared.threads().lost(session.serverThreadId());
        InjectedStatement back = domain.back(current.get());
        int index = back == null ? domain.announced(current.get()) : DomainIndexes.DEFAULT;
        lost.unfollowed("a fault of the plugin", index, current.get(), pendingWrites.takeAll(), writes.unsent());
        return back;
    }

    /** Nothing is followed any more, so nothing is recorded. */
    @Override
    public @Nullable InjectedStatement onRemoved() {
        shared.threads().lost(session.serverThreadId());
        return domain.back(current.get());
    }

    @Override
    public void onClose(String reason) {
        if (reason.equals(LostWrites.UNREAD)) {
            shared.threads().lost(session.serverThreadId());
            lost.unread(domain.announced(current.get()), current.get(), pendingWrites.takeAll(), writes.unsent());
        } else {
            shared.threads().ended(session.serverThreadId());
            lost.ended(pendingWrites.takeAll());
        }
    }
}
