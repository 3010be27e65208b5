package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.Interest;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.rules.SessionRules;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Steers one session: before a statement that writes or begins a transaction, the domain that it shall have is compared
 * with the session's and set only when it differs. Every write, asked about or not, claims its tables until it is over.
 */
final class DomainObserver implements SessionObserver {
    /** Takes the claims of a session that ended with something open. */
    interface Orphanage {
        void take(long serverThreadId, List<Claim> claims);
    }

    private static final int STATUS_AUTOCOMMIT = 2;

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
    private boolean probed;

    /** The command asked about last, and what was found out about it. */
    private long asked = -1;

    private Work askedWork = Work.NONE;
    private @Nullable Claim askedClaim;

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
        if (work == Work.STEERS) {
            return null;
        }
        if (work == Work.BEGIN || !autocommit && begins(command.kind())) {
            return beforeTransaction();
        }
        return work.writes() ? beforeWrite(command, summary, work) : probeEarly();
    }

    private Work work(CommandView command, @Nullable StatementSummary summary) {
        return Work.of(command, summary, session.settings().temporaryTables());
    }

    /** With autocommit off, whatever is not about transactions or settings begins one. */
    private static boolean begins(StatementKind kind) {
        return switch (kind) {
            case SET, USE, COMMIT, ROLLBACK, EMPTY -> false;
            default -> true;
        };
    }

    private @Nullable InjectedStatement beforeTransaction() {
        if (!policy.tagging) {
            return restore();
        }
        if (domain.leftAlone()) {
            return null;
        }
        return domain.steer(policy.slotOfTransaction(rules), policy);
    }

    /** In mode advise nothing is set but what the mode before has left behind. */
    private @Nullable InjectedStatement restore() {
        return domain.ours() && !domain.leftAlone() ? domain.steer(DomainSlots.DEFAULT, policy) : null;
    }

    private @Nullable InjectedStatement beforeWrite(
            CommandView command, @Nullable StatementSummary summary, Work work) {
        int rule = rules.matchIndex(command);
        int wanted = policy.slot(rule);
        TableEntry[] entries = policy.guarded ? policy.tables.touched(work, summary, session.schema()) : null;
        long digest = summary == null ? 0 : summary.digest();
        if (!policy.tagging) {
            if (entries != null) {
                askedClaim = policy.ownership.decide(entries, wanted, policy.pin, digest);
            }
            count(rule, askedClaim == null ? wanted : askedClaim.slot(), wanted, Outcome.ADVISED);
            return restore();
        }
        if (domain.leftAlone()) {
            askedClaim = forced(entries, Conflict.UNSTEERABLE, digest, true);
            count(rule, domain.slot(), wanted, domain.clientSteers() ? Outcome.RESPECTED : Outcome.LEFT_ALONE);
            return null;
        }
        if (entries == null) {
            count(rule, wanted, wanted, Outcome.TAGGED);
            return domain.steer(wanted, policy);
        }
        if (policy.pin && !accounts.isProven(session.user())) {
            // Should the server refuse, then not for a write that other sessions take to be in the domain.
            InjectedStatement probe = domain.probe(policy);
            askedClaim = forced(entries, Conflict.UNSTEERABLE, digest, domain.refusedBefore());
            count(rule, domain.slot(), wanted, Outcome.UNPROVEN);
            return probe;
        }
        Claim claim = policy.ownership.decide(entries, wanted, policy.pin, digest);
        askedClaim = claim;
        count(rule, claim.slot(), wanted, Outcome.TAGGED);
        return domain.steer(claim.slot(), policy);
    }

    private @Nullable Claim forced(TableEntry @Nullable [] entries, Conflict kind, long digest, boolean mark) {
        return entries == null ? null : policy.ownership.force(entries, domain.slot(), kind, digest, mark);
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
        if (!command.isStatement()) {
            return;
        }
        StatementSummary summary = command.summary();
        boolean wasAsked = command.number() == asked;
        Work work = wasAsked ? askedWork : work(command, summary);
        if (work == Work.STEERS) {
            domain.clientSets();
        }
        if (work.writes() && changesSchema(command, summary)) {
            dictionary.changed();
        }
        Claim claim = wasAsked ? askedClaim : null;
        if (claim == null && policy.guarded && (work.writes() || work == Work.STEERS)) {
            claim = unasked(command, summary, work, wasAsked);
        }
        askedClaim = null;
        if (claim != null) {
            claims.sent(claim);
            command.attach(claim);
        }
    }

    /** A write that nothing could be done about: in a transaction, pipelined, or one that reads diagnostics. */
    private Claim unasked(CommandView command, @Nullable StatementSummary summary, Work work, boolean wasAsked) {
        TableEntry[] entries = policy.tables.touched(work, summary, session.schema());
        boolean transaction = command.inTransactionBefore() || wasAsked;
        return policy.ownership.force(
                entries,
                domain.slot(),
                transaction ? Conflict.TRANSACTION : Conflict.NO_BOUNDARY,
                summary == null ? 0 : summary.digest(),
                true);
    }

    private static boolean changesSchema(CommandView command, @Nullable StatementSummary summary) {
        if (summary != null && summary.temporary()) {
            return false;
        }
        StatementKind kind = summary == null ? command.kind() : summary.kind();
        return kind.isDdl() && kind != StatementKind.TRUNCATE
                || kind == StatementKind.UNKNOWN
                || kind == StatementKind.MULTI;
    }

    @Override
    public void onResponse(CommandView command, ResponseView response) {
        boolean inTransaction = response.inTransaction();
        if (command.attachment() instanceof Claim claim) {
            command.attach(null);
            claims.answered(claim, inTransaction, policy);
            if (changesSchema(command, command.summary())) {
                dictionary.changed();
            }
        }
        if (!inTransaction && !claims.noTransaction()) {
            claims.transactionOver();
        }
        if (response.ok()) {
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
