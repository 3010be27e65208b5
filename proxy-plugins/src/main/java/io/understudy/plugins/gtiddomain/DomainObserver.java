package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.Interest;
import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.rules.SessionRules;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Steers one session: before a statement that writes or begins a transaction, or its preparation, the domain that it shall have is compared
 * with the session's and set only when it differs; before everything else the session is set back to the default domain. Every write, asked
 * about or not, claims its tables until it is over.
 */
final class DomainObserver implements SessionObserver {
    /** Takes the claims of a session that ended with something open. */
    interface Orphanage {
        void take(long serverThreadId, List<Claim> claims);
    }

    private static final int STATUS_AUTOCOMMIT = 2;
    /** COM_STMT_PREPARE. */
    private static final int PREPARE = 0x16;

    private final SessionContext session;
    private final Supplier<Policy> policies;
    private final Accounts accounts;
    private final DomainMeters meters;
    private final Dictionary dictionary;
    private final Orphanage orphanage;
    private final SessionDomain domain;
    private final OpenClaims claims = new OpenClaims();

    private Policy policy;
    private SessionRules<DomainRule> rules;
    private boolean autocommit = true;
    private boolean inTransaction;
    private boolean probed;
    /**
     * Of the statement or preparation sent last, if its domain was decided: what is pipelined behind it and writes the same tables goes to
     * the same domain.
     */
    private @Nullable Claim lead;

    /** The command asked about last, and what was found out about it. */
    private long asked = -1;

    private Work askedWork = Work.NONE;
    private @Nullable Claim askedClaim;
    private boolean askedDecided;

    DomainObserver(
            SessionContext session,
            Supplier<Policy> policies,
            Accounts accounts,
            DomainMeters meters,
            Dictionary dictionary,
            Orphanage orphanage) {
        this.session = session;
        this.policies = policies;
        this.accounts = accounts;
        this.meters = meters;
        this.dictionary = dictionary;
        this.orphanage = orphanage;
        domain = new SessionDomain(accounts, meters);
        policy = policies.get();
        rules = policy.rules.forSession(session);
    }

    @Override
    public int interests() {
        return Interest.BOUNDARY | Interest.COMMANDS | Interest.STATEMENTS | Interest.RESPONSES;
    }

    /** Asks for the privilege once per account, so that also a first statement that writes can already be tagged. */
    @Override
    public @Nullable InjectedStatement afterLogin() {
        return probeEarly();
    }

    @Override
    public @Nullable InjectedStatement beforeCommand(CommandView command) {
        return ahead(command);
    }

    /** As before the execution, which clients send right behind: there it would be too late. */
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
        asked = command.number();
        askedWork = work;
        askedClaim = null;
        askedDecided = false;
        if (work == Work.BEGIN || !autocommit && work != Work.STEERS && begins(kind(command, summary))) {
            return policy.tagging && !domain.leftAlone()
                    ? domain.steer(policy.slotOfTransaction(rules), policy)
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
        boolean callsStored = summary != null
                && !summary.functions().isEmpty()
                && dictionary.mayWrite(summary.functions(), schema(command));
        return Work.of(command, summary, session.settings().temporaryTables(), callsStored);
    }

    private static StatementKind kind(CommandView command, @Nullable StatementSummary summary) {
        return summary == null ? command.kind() : summary.runs();
    }

    /** What names without a schema mean: in a prepared statement, that of its preparation. */
    private @Nullable String schema(CommandView command) {
        PreparedStatement prepared = command.prepared();
        return prepared == null ? session.schema() : prepared.schema();
    }

    /** With autocommit off, whatever is not about transactions or settings begins one. */
    private static boolean begins(StatementKind kind) {
        return switch (kind) {
            case SET, USE, COMMIT, ROLLBACK, EMPTY -> false;
            default -> true;
        };
    }

    /** Whether it is sent right behind a statement or preparation of the same tables, for which their domain was decided. */
    private boolean follows(CommandView command, @Nullable StatementSummary summary, Work work) {
        Claim before = lead;
        return before != null
                && work == Work.TABLES
                && Arrays.equals(before.entries, policy.tables.touched(work, summary, schema(command)))
                && (!policy.tagging || before.slot() == domain.slot());
    }

    private @Nullable InjectedStatement beforeWrite(
            CommandView command, @Nullable StatementSummary summary, Work work) {
        boolean runs = command.isStatement();
        int rule = runs ? rules.matchIndex(command) : rules.peekIndex(command);
        int wanted = policy.slot(rule);
        TableEntry[] entries = policy.guarded ? policy.tables.touched(work, summary, schema(command)) : null;
        long digest = summary == null ? 0 : summary.digest();
        if (!policy.tagging) {
            if (entries != null) {
                decide(entries, wanted, work, digest);
            }
            if (runs) {
                count(rule, askedClaim == null ? wanted : askedClaim.slot(), wanted, Outcome.ADVISED);
            }
            return domain.back(policy);
        }
        // Should the server refuse, then not for a write that other sessions take to be in the domain.
        boolean unproven = entries != null && policy.pin && !accounts.isProven(session.user());
        if (domain.leftAlone() || unproven) {
            boolean alone = domain.leftAlone();
            InjectedStatement back = domain.back(policy);
            InjectedStatement injected = back != null || alone ? back : domain.probe(policy);
            if (runs) {
                askedClaim = forced(entries, work, digest, alone || domain.refusedBefore());
                Outcome left = domain.clientSteers() ? Outcome.RESPECTED : Outcome.LEFT_ALONE;
                count(rule, domain.slot(), wanted, alone ? left : Outcome.UNPROVEN);
            }
            return injected;
        }
        if (entries == null) {
            if (runs) {
                count(rule, wanted, wanted, Outcome.TAGGED);
            }
            return domain.steer(wanted, policy);
        }
        Claim claim = decide(entries, wanted, work, digest);
        if (runs) {
            count(rule, claim.slot(), wanted, Outcome.TAGGED);
        }
        return domain.steer(claim.slot(), policy);
    }

    private Claim decide(TableEntry[] entries, int wanted, Work work, long digest) {
        Claim claim = policy.ownership.decide(entries, wanted, policy.pin, work, digest);
        askedClaim = claim;
        askedDecided = true;
        return claim;
    }

    private @Nullable Claim forced(TableEntry @Nullable [] entries, Work work, long digest, boolean mark) {
        return entries == null
                ? null
                : policy.ownership.force(entries, domain.slot(), Conflict.UNSTEERABLE, work, digest, mark);
    }

    private void count(int rule, int slot, int wanted, Outcome outcome) {
        meters.writes.increment();
        Outcome shown = outcome;
        if (slot != wanted && (outcome == Outcome.TAGGED || outcome == Outcome.ADVISED)) {
            shown = slot == DomainSlots.DEFAULT ? Outcome.KEPT_DEFAULT : Outcome.PINNED;
        } else if (slot != DomainSlots.DEFAULT && slot != DomainSlots.FOREIGN) {
            meters.independent.increment();
        }
        if (rule >= 0 || slot != DomainSlots.DEFAULT) {
            policy.meters(rule).count(slot, shown);
        }
    }

    /** Asks for the privilege before there is a write; after a refusal only writes ask again. */
    private @Nullable InjectedStatement probeEarly() {
        if (probed || !policy.tagging || !policy.pin || !rules.needsStatement() && rules.sessionIndex() < 0) {
            return null;
        }
        probed = true;
        return !domain.leftAlone() && accounts.isNew(session.user()) ? domain.probe(policy) : null;
    }

    @Override
    public void onCommand(CommandView command) {
        boolean prepares = command.code() == PREPARE;
        if (!command.isStatement() && !prepares) {
            return;
        }
        StatementSummary summary = command.summary();
        boolean wasAsked = command.number() == asked;
        Work work = wasAsked ? askedWork : work(command, summary);
        Claim claim = wasAsked ? askedClaim : null;
        boolean decided = wasAsked && askedDecided;
        askedClaim = null;
        if (!prepares) {
            if (work == Work.STEERS) {
                domain.clientSets();
            }
            if (changesSchema(command, summary)) {
                dictionary.changed();
            }
            if (claim == null && policy.guarded && (work.writes() || work == Work.STEERS)) {
                decided = !wasAsked && !command.inTransactionBefore() && follows(command, summary, work);
                claim = decided ? following(command, summary, work) : unasked(command, summary, work, wasAsked);
            }
        }
        lead = decided ? claim : null;
        if (claim != null) {
            claims.sent(claim);
            command.attach(claim);
        }
    }

    private Claim following(CommandView command, @Nullable StatementSummary summary, Work work) {
        Claim before = Objects.requireNonNull(lead);
        int rule = rules.matchIndex(command);
        count(rule, before.slot(), policy.slot(rule), policy.tagging ? Outcome.TAGGED : Outcome.ADVISED);
        return policy.ownership.force(
                before.entries,
                before.slot(),
                Conflict.NO_BOUNDARY,
                work,
                summary == null ? 0 : summary.digest(),
                false);
    }

    /** A write that nothing could be done about: in a transaction, pipelined, or one that reads diagnostics. */
    private Claim unasked(CommandView command, @Nullable StatementSummary summary, Work work, boolean wasAsked) {
        if (domain.away() && policy.pin) {
            domain.stay();
        }
        TableEntry[] entries = policy.tables.touched(work, summary, schema(command));
        boolean transaction = command.inTransactionBefore() || wasAsked;
        return policy.ownership.force(
                entries,
                domain.slot(),
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
        if (command.code() == PREPARE) {
            if (command.attachment() instanceof Claim claim) {
                command.attach(null);
                claims.answered(claim, false, policy);
            }
            return;
        }
        // An error does not tell, and with several commands in flight what was known when this one was sent is of no
        // use.
        boolean told = response.ok() && command.isStatement();
        inTransaction = told ? response.inTransaction() : inTransaction || response.inTransaction();
        if (command.attachment() instanceof Claim claim) {
            command.attach(null);
            claims.answered(claim, inTransaction, policy);
            if (changesSchema(command, command.summary())) {
                dictionary.changed();
            }
        }
        if (told && !inTransaction && !claims.noTransaction()) {
            claims.transactionOver();
        }
        if (told) {
            autocommit = (response.status() & STATUS_AUTOCOMMIT) != 0;
        }
    }

    @Override
    public void onInjected(InjectedStatement statement, InjectionResult result) {
        domain.answered(statement, result, session.user(), claims);
    }

    @Override
    public void onReset() {
        domain.reset();
        probed = false;
        autocommit = true;
        inTransaction = false;
        lead = null;
        claims.transactionOver();
    }

    @Override
    public void onClose(String reason) {
        List<Claim> open = claims.takeAll();
        if (!open.isEmpty()) {
            // The server may still be at it, and may commit.
            orphanage.take(session.serverThreadId(), open);
        }
    }
}
