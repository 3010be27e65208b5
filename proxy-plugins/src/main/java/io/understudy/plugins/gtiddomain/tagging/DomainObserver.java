package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.Interest;
import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugins.gtiddomain.catalog.Dictionary;
import io.understudy.plugins.gtiddomain.ownership.Conflict;
import io.understudy.plugins.gtiddomain.ownership.Orphans;
import io.understudy.plugins.gtiddomain.ownership.PendingWrite;
import io.understudy.plugins.gtiddomain.ownership.TableEntry;
import io.understudy.plugins.gtiddomain.ownership.Work;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.rules.SessionRules;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import io.understudy.wire.CommandCode;
import io.understudy.wire.ServerStatus;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Steers one session: before a write, a begin of a transaction or their preparation, it compares the required domain
 * with the session's and sets it only if it differs; before every other command it sets the session back to the default
 * domain. Every write makes its domain an owner of its tables until it has ended, even if no decision was possible.
 */
public final class DomainObserver implements SessionObserver {
    private static final Logger log = LoggerFactory.getLogger(DomainObserver.class);

    /** The reason passed to {@link #onClose} when the session continues unread. */
    private static final String UNREAD = "unread";

    private final SessionContext session;
    private final Supplier<Policy> policies;
    private final Accounts accounts;
    private final DomainMeters meters;
    private final Dictionary dictionary;
    private final Orphans orphans;
    private final SessionDomain domain;
    private final PendingWrites pendingWrites = new PendingWrites();

    private Policy policy;
    private SessionRules<TaggedRule> rules;
    private boolean autocommit = true;
    private boolean inTransaction;
    private boolean probed;
    /**
     * The statement or preparation sent last, if its domain was decided: a statement pipelined after it that writes the
     * same tables goes to the same domain.
     */
    private @Nullable PendingWrite lead;

    /**
     * Number of the last command passed to {@link #beforeCommand} or {@link #beforePreparation}; the next three fields
     * are the results.
     */
    private long boundaryCommand = -1;

    private Work boundaryWork = Work.NONE;
    private @Nullable PendingWrite boundaryWrite;
    private boolean boundaryDecided;

    public DomainObserver(
            SessionContext session,
            Supplier<Policy> policies,
            Accounts accounts,
            DomainMeters meters,
            Dictionary dictionary,
            Orphans orphans) {
        this.session = session;
        this.policies = policies;
        this.accounts = accounts;
        this.meters = meters;
        this.dictionary = dictionary;
        this.orphans = orphans;
        domain = new SessionDomain(accounts, meters);
        policy = policies.get();
        rules = policy.rules.forSession(session);
    }

    @Override
    public int interests() {
        return Interest.BOUNDARY | Interest.COMMANDS | Interest.STATEMENTS | Interest.RESPONSES;
    }

    /** Probes the privilege once per account, so that even a first statement that writes can be tagged. */
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
        Policy latest = policies.get();
        if (latest != policy) {
            policy = latest;
            rules = latest.rules.forSession(session);
            probed = false;
        }
        StatementSummary summary = command.summary();
        Work work = work(command, summary);
        boundaryCommand = command.number();
        boundaryWork = work;
        boundaryWrite = null;
        boundaryDecided = false;
        if (work == Work.BEGIN || !autocommit && work != Work.STEERS && begins(kind(command, summary))) {
            return policy.tagging && !domain.leftAlone()
                    ? domain.steer(policy.indexForTransaction(rules), policy)
                    : domain.back(policy);
        }
        if (work.writes()) {
            return beforeWrite(command, summary, work);
        }
        InjectedStatement back = domain.back(policy);
        return back != null || work == Work.STEERS ? back : probeEarly();
    }

    @Override
    public boolean owes() {
        return domain.away();
    }

    @Override
    public @Nullable InjectedStatement beforeUnknown(CommandView command) {
        if (command.isStatement()) {
            StatementSummary summary = command.summary();
            Work work = work(command, summary);
            if (follows(command, summary, work)) {
                return null;
            }
        }
        return domain.back(policy);
    }

    private Work work(CommandView command, @Nullable StatementSummary summary) {
        boolean callsStored = summary != null && callsStored(summary, schema(command));
        return Work.of(command, summary, session.settings().temporaryTables(), callsStored);
    }

    private boolean callsStored(StatementSummary summary, @Nullable String schema) {
        return !summary.functions().isEmpty() && dictionary.mayWrite(summary.functions(), schema)
                // Without a guard the catalogue is never read, so each name could be that of a view.
                || policy.guarded && dictionary.readMayWrite(summary.reads(), schema);
    }

    private static StatementKind kind(CommandView command, @Nullable StatementSummary summary) {
        return summary == null ? command.kind() : summary.runs();
    }

    /** Returns the schema of unqualified names; for a prepared statement, the schema of its preparation. */
    private @Nullable String schema(CommandView command) {
        PreparedStatement prepared = command.prepared();
        return prepared == null ? session.schema() : prepared.schema();
    }

    /** With autocommit off, every statement but those about transactions or settings begins a transaction. */
    private static boolean begins(StatementKind kind) {
        return switch (kind) {
            case SET, USE, COMMIT, ROLLBACK, EMPTY -> false;
            default -> true;
        };
    }

    /**
     * Returns whether the command was sent immediately after a statement or preparation with the same tables, whose
     * domain was decided.
     */
    private boolean follows(CommandView command, @Nullable StatementSummary summary, Work work) {
        PendingWrite before = lead;
        return before != null
                && work == Work.TABLES
                && Arrays.equals(before.entries, policy.tables.touched(work, summary, schema(command)))
                && (!policy.tagging || before.index() == domain.index());
    }

    private @Nullable InjectedStatement beforeWrite(
            CommandView command, @Nullable StatementSummary summary, Work work) {
        boolean runs = command.isStatement();
        int rule = runs ? rules.matchIndex(command) : rules.peekIndex(command);
        int wanted = policy.index(rule);
        TableEntry[] entries = policy.guarded ? policy.tables.touched(work, summary, schema(command)) : null;
        long digest = summary == null ? 0 : summary.digest();
        if (!policy.tagging) {
            if (entries != null) {
                decide(entries, wanted, work, digest);
            }
            if (runs) {
                count(rule, boundaryWrite == null ? wanted : boundaryWrite.index(), wanted, WriteOutcome.ADVISED);
            }
            return domain.back(policy);
        }
        // If the server should refuse the domain, it must not be for a write that other sessions believe to be in it.
        boolean unproven = entries != null && policy.pin && !accounts.isProven(session.user());
        if (domain.leftAlone() || unproven) {
            boolean alone = domain.leftAlone();
            InjectedStatement back = domain.back(policy);
            InjectedStatement injected = back != null || alone ? back : domain.probe(policy);
            if (runs) {
                boundaryWrite = forced(entries, work, digest, alone || domain.refusedBefore());
                WriteOutcome left = domain.clientSteers() ? WriteOutcome.RESPECTED : WriteOutcome.LEFT_ALONE;
                count(rule, domain.index(), wanted, alone ? left : WriteOutcome.UNPROVEN);
            }
            return injected;
        }
        if (entries == null) {
            if (runs) {
                count(rule, wanted, wanted, WriteOutcome.TAGGED);
            }
            return domain.steer(wanted, policy);
        }
        PendingWrite pending = decide(entries, wanted, work, digest);
        if (runs) {
            count(rule, pending.index(), wanted, WriteOutcome.TAGGED);
        }
        return domain.steer(pending.index(), policy);
    }

    private PendingWrite decide(TableEntry[] entries, int wanted, Work work, long digest) {
        PendingWrite pending = policy.ownership.decide(entries, wanted, policy.pin, work, digest);
        boundaryWrite = pending;
        boundaryDecided = true;
        return pending;
    }

    private @Nullable PendingWrite forced(TableEntry @Nullable [] entries, Work work, long digest, boolean mark) {
        return entries == null
                ? null
                : policy.ownership.force(entries, domain.index(), Conflict.UNSTEERABLE, work, digest, mark);
    }

    private void count(int rule, int index, int wanted, WriteOutcome outcome) {
        meters.writes.increment();
        WriteOutcome shown = outcome;
        if (index != wanted && (outcome == WriteOutcome.TAGGED || outcome == WriteOutcome.ADVISED)) {
            shown = index == DomainIndexes.DEFAULT ? WriteOutcome.KEPT_DEFAULT : WriteOutcome.PINNED;
        } else if (index != DomainIndexes.DEFAULT && index != DomainIndexes.FOREIGN) {
            meters.independent.increment();
        }
        if (rule >= 0 || index != DomainIndexes.DEFAULT) {
            policy.meters(rule).count(index, shown);
        }
    }

    /** Probes the privilege before the first write; after a refusal only writes probe again. */
    private @Nullable InjectedStatement probeEarly() {
        if (probed || !policy.tagging || !policy.pin || !rules.needsStatement() && rules.sessionIndex() < 0) {
            return null;
        }
        probed = true;
        return !domain.leftAlone() && accounts.isNew(session.user()) ? domain.probe(policy) : null;
    }

    @Override
    public void onCommand(CommandView command) {
        boolean prepares = command.code() == CommandCode.STMT_PREPARE;
        if (!command.isStatement() && !prepares) {
            return;
        }
        StatementSummary summary = command.summary();
        boolean atBoundary = command.number() == boundaryCommand;
        Work work = atBoundary ? boundaryWork : work(command, summary);
        PendingWrite pending = atBoundary ? boundaryWrite : null;
        boolean decided = atBoundary && boundaryDecided;
        boundaryWrite = null;
        if (!prepares) {
            if (work == Work.STEERS) {
                domain.clientSets();
            }
            if (changesSchema(command, summary)) {
                dictionary.changed();
            }
            if (pending == null && policy.guarded && (work.writes() || work == Work.STEERS)) {
                decided = !atBoundary && !command.inTransactionBefore() && follows(command, summary, work);
                pending = decided
                        ? following(command, summary, work)
                        : withoutDecision(command, summary, work, atBoundary);
            }
        }
        lead = decided ? pending : null;
        if (pending != null) {
            pendingWrites.sent(pending);
            command.attach(pending);
        }
    }

    private PendingWrite following(CommandView command, @Nullable StatementSummary summary, Work work) {
        PendingWrite before = Objects.requireNonNull(lead);
        int rule = rules.matchIndex(command);
        count(rule, before.index(), policy.index(rule), policy.tagging ? WriteOutcome.TAGGED : WriteOutcome.ADVISED);
        return policy.ownership.force(
                before.entries,
                before.index(),
                Conflict.NO_BOUNDARY,
                work,
                summary == null ? 0 : summary.digest(),
                false);
    }

    /** Adds a write without a decision: in a transaction, pipelined, or one that reads diagnostics. */
    private PendingWrite withoutDecision(
            CommandView command, @Nullable StatementSummary summary, Work work, boolean atBoundary) {
        if (domain.away() && policy.pin) {
            domain.stay();
        }
        TableEntry[] entries = policy.tables.touched(work, summary, schema(command));
        boolean transaction = command.inTransactionBefore() || atBoundary;
        return policy.ownership.force(
                entries,
                domain.index(),
                transaction ? Conflict.TRANSACTION : Conflict.NO_BOUNDARY,
                work,
                summary == null ? 0 : summary.digest(),
                true);
    }

    private static boolean changesSchema(CommandView command, @Nullable StatementSummary summary) {
        if (summary != null) {
            return summary.changesSchema();
        }
        StatementKind kind = command.kind();
        return kind.isDdl() && kind != StatementKind.TRUNCATE || kind == StatementKind.UNKNOWN;
    }

    @Override
    public void onResponse(CommandView command, ResponseView response) {
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
            if (changesSchema(command, command.summary())) {
                dictionary.changed();
            }
        }
        if (known && !inTransaction && !pendingWrites.noTransaction()) {
            pendingWrites.transactionOver();
        }
        if (known) {
            autocommit = (response.status() & ServerStatus.AUTOCOMMIT) != 0;
        }
    }

    @Override
    public void onInjected(InjectedStatement statement, InjectionResult result) {
        domain.onInjected(statement, result, session.user(), pendingWrites);
    }

    @Override
    public void onReset() {
        domain.reset();
        probed = false;
        autocommit = true;
        inTransaction = false;
        lead = null;
        pendingWrites.transactionOver();
    }

    /** Records that the session's further writes are unknown: see {@link #unfollowed}. */
    @Override
    public @Nullable InjectedStatement onRetired() {
        InjectedStatement back = domain.back(policy);
        unfollowed("a fault of the plugin", back == null ? domain.index() : DomainIndexes.DEFAULT);
        return back;
    }

    @Override
    public void onClose(String reason) {
        if (reason.equals(UNREAD)) {
            unfollowed("a packet that does not fit the protocol", domain.index());
            return;
        }
        List<PendingWrite> open = pendingWrites.takeAll();
        if (!open.isEmpty()) {
            // The server may still execute the statement, and may commit.
            orphans.take(session.serverThreadId(), open);
        }
    }

    /**
     * Until the server's thread is gone the session counts as one long statement whose tables are not known, so that no
     * table leaves the default domain for another one than the session's.
     */
    private void unfollowed(String why, int index) {
        List<PendingWrite> open = pendingWrites.takeAll();
        PendingWrite decided = boundaryWrite;
        if (decided != null) {
            open.add(decided);
        }
        if (policy.guarded) {
            TableEntry[] unknown = {policy.ownership.unknown()};
            open.add(policy.ownership.force(unknown, index, Conflict.NO_BOUNDARY, Work.CALLS, 0, false));
        }
        if (!open.isEmpty()) {
            orphans.take(session.serverThreadId(), open);
        }
        meters.unfollowed(index);
        log.warn(
                "gtid-domain: the session of {} on server thread {} is no longer followed because of {}; it stays in"
                        + " domain {} and, until it"
                        + " ends, keeps tables from leaving the default domain",
                session.user(),
                session.serverThreadId(),
                why,
                policy.label(index));
    }
}
