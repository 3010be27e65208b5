package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.SessionContext;
import io.understudy.plugins.gtiddomain.ownership.Conflict;
import io.understudy.plugins.gtiddomain.ownership.PendingWrite;
import io.understudy.plugins.gtiddomain.ownership.TableEntry;
import io.understudy.plugins.gtiddomain.ownership.Work;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.sql.StatementSummary;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides the domain of a session's writes. Every write makes its domain an owner of its tables before it is sent, even
 * if no decision was possible. Used on the session's event loop.
 */
final class WriteTagging {
    /**
     * What was found at a boundary about the command that follows, attached to that command until it is sent. A session
     * has one: nothing else is in flight then. Used on the session's event loop.
     */
    static final class Decision {
        Work work = Work.NONE;
        /** The write in the domain that was found, until it is sent; null for none. */
        @Nullable
        PendingWrite write;
        /** Whether the guard chose the domain. */
        boolean guarded;

        Decision begin(Work found) {
            work = found;
            write = null;
            guarded = false;
            return this;
        }
    }

    private final SessionContext session;
    private final Accounts accounts;
    private final DomainMeters meters;
    private final SessionDomain domain;
    private final CommandReader reader;

    /**
     * The statement or preparation sent last, if its domain was decided: a statement pipelined after it that writes the
     * same tables goes to the same domain.
     */
    private @Nullable PendingWrite lead;

    private final Decision decision = new Decision();

    WriteTagging(SessionContext session, SharedTagging shared, SessionDomain domain, CommandReader reader) {
        this.session = session;
        accounts = shared.accounts();
        meters = shared.meters();
        this.domain = domain;
        this.reader = reader;
    }

    /** Called for each command at a boundary: what is found of it is attached to it. */
    void atBoundary(CommandView command, Work work) {
        command.attach(decision.begin(work));
    }

    /** Returns what was found at the boundary before the command, or null if it was not at one. */
    static @Nullable Decision decision(CommandView command) {
        return command.attachment() instanceof Decision found ? found : null;
    }

    /** Decides about a write at a boundary, and has the session go there. */
    void before(CommandView command, @Nullable StatementSummary summary, Work work) {
        Policy policy = reader.policy();
        boolean runs = command.isStatement();
        int rule = runs ? reader.rules().matchIndex(command) : reader.rules().peekIndex(command);
        int wanted = policy.index(rule);
        TableEntry[] entries = policy.guarded ? reader.tables(command, summary, work) : null;
        long digest = CommandReader.digest(summary);
        if (!policy.tagging) {
            int index = entries == null ? wanted : decide(entries, wanted, work, digest);
            if (runs) {
                count(rule, index, wanted, WriteOutcome.ADVISED);
            }
            return;
        }
        if (domain.leftAlone() || domain.refused()) {
            unsteered(rule, entries, work, digest, runs);
            return;
        }
        // If the server should refuse the domain, it must not be for a write that other sessions believe to be in it.
        if (entries != null && policy.pin && !domain.proven()) {
            int owner = decide(entries, DomainIndexes.DEFAULT, work, digest);
            if (runs) {
                count(rule, owner, wanted, WriteOutcome.UNPROVEN);
            }
            if (!domain.steer(owner, policy)) {
                domain.probe(policy);
            }
            return;
        }
        int index = entries == null ? wanted : decide(entries, wanted, work, digest);
        if (runs) {
            count(rule, index, wanted, WriteOutcome.TAGGED);
        }
        domain.steer(index, policy);
    }

    /** Announces a write in the domain in which it will run whatever the guard would decide. */
    private void unsteered(int rule, TableEntry @Nullable [] entries, Work work, long digest, boolean runs) {
        Policy policy = reader.policy();
        boolean alone = domain.leftAlone();
        boolean toDefault =
                domain.variable.isAway() || !alone && accounts.mayTry(session.user()) && domain.probe(policy);
        if (runs) {
            if (entries != null) {
                int index = toDefault ? DomainIndexes.DEFAULT : domain.announced(policy);
                decision.write = policy.ownership.force(entries, index, Conflict.UNSTEERABLE, work, digest, true);
            }
            WriteOutcome left = domain.variable.isClients() ? WriteOutcome.RESPECTED : WriteOutcome.LEFT_ALONE;
            int runsIn = toDefault ? DomainIndexes.DEFAULT : domain.index();
            count(rule, runsIn, policy.index(rule), alone ? left : WriteOutcome.UNPROVEN);
        }
    }

    private int decide(TableEntry[] entries, int wanted, Work work, long digest) {
        Policy policy = reader.policy();
        PendingWrite pending = policy.ownership.decide(entries, wanted, policy.pin, work, digest);
        decision.write = pending;
        decision.guarded = true;
        return pending.index();
    }

    private void count(int rule, int index, int wanted, WriteOutcome outcome) {
        WriteOutcome shown = outcome;
        if (index != wanted && (outcome == WriteOutcome.TAGGED || outcome == WriteOutcome.ADVISED)) {
            shown = index == DomainIndexes.DEFAULT ? WriteOutcome.KEPT_DEFAULT : WriteOutcome.PINNED;
            countWrite(DomainIndexes.DEFAULT);
        } else {
            countWrite(index);
        }
        if (rule >= 0 || index != DomainIndexes.DEFAULT) {
            reader.policy().meters(rule).count(index, shown);
        }
    }

    /** @param index index of its domain; the default one if it followed an owner, and is not independent */
    private void countWrite(int index) {
        meters.writes.increment();
        if (index != DomainIndexes.DEFAULT && index != DomainIndexes.FOREIGN) {
            meters.independent.increment();
        }
    }

    /** Returns whether the command was sent immediately after one with the same tables, whose domain was decided. */
    boolean follows(CommandView command, @Nullable StatementSummary summary, Work work) {
        Policy policy = reader.policy();
        PendingWrite before = lead;
        // One whose response has come owns its tables no more: they may have gone to another domain since.
        return before != null
                && !before.over()
                && work == Work.TABLES
                && Arrays.equals(before.entries, reader.tables(command, summary, work))
                && (!policy.tagging || before.index() == domain.announced(policy));
    }

    /** Announces a command that is being sent; returns its pending write, or null if it needs none. */
    @Nullable
    PendingWrite sent(CommandView command, @Nullable StatementSummary summary, Work work) {
        Decision found = decision(command);
        boolean atBoundary = found != null;
        PendingWrite pending = atBoundary ? decision.write : null;
        boolean decided = atBoundary && decision.guarded;
        decision.write = null;
        if (pending == null
                && command.isStatement()
                && reader.policy().guarded
                && (work.writes() || work == Work.STEERS)) {
            decided = !atBoundary && !command.inTransactionBefore() && follows(command, summary, work);
            pending = decided ? following(command, summary, work) : withoutDecision(command, summary, work, atBoundary);
        }
        lead = decided ? pending : null;
        return pending;
    }

    private PendingWrite following(CommandView command, @Nullable StatementSummary summary, Work work) {
        Policy policy = reader.policy();
        PendingWrite before = Objects.requireNonNull(lead);
        int rule = reader.rules().matchIndex(command);
        count(rule, before.index(), policy.index(rule), policy.tagging ? WriteOutcome.TAGGED : WriteOutcome.ADVISED);
        return policy.ownership.force(
                before.entries, before.index(), Conflict.NO_BOUNDARY, work, CommandReader.digest(summary), false);
    }

    /** Adds a write without a decision: in a transaction, pipelined, or one that reads diagnostics. */
    private PendingWrite withoutDecision(
            CommandView command, @Nullable StatementSummary summary, Work work, boolean atBoundary) {
        Policy policy = reader.policy();
        if (domain.variable.isAway() && policy.pin) {
            domain.stay();
        }
        TableEntry[] entries = reader.tables(command, summary, work);
        Conflict kind = command.inTransactionBefore() || atBoundary ? Conflict.TRANSACTION : Conflict.NO_BOUNDARY;
        if (work.writes()) {
            countWrite(domain.index());
        }
        return policy.ownership.force(
                entries, domain.announced(policy), kind, work, CommandReader.digest(summary), true);
    }

    /**
     * Called when the session's variables have been reset, and when a command that changes what the next one's names or
     * domain are is sent: nothing behind it follows what was sent before.
     */
    void reset() {
        lead = null;
    }

    /** Returns the write that was decided about but not sent, or null. */
    @Nullable
    PendingWrite unsent() {
        return decision.write;
    }
}
