package io.understudy.readiness;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The oldest open transaction on the standby. */
final class TransactionsCheck implements Check.OfRound {
    private static final Findings FOUND = new Findings("transactions");

    @Override
    public List<Finding> findings(Situation.Round round, Situation situation) {
        ServerFacts standby = round.standby();
        if (!standby.responded()) {
            return List.of();
        }
        List<OpenTransaction> open = standby.get(ServerFacts.TRANSACTIONS).value();
        if (open == null) {
            return List.of(FOUND.unknown(
                    "privilege",
                    "its open transactions cannot be read: "
                            + standby.get(ServerFacts.TRANSACTIONS).reason(),
                    "a long one may block what replication applies, and the promotion",
                    standby.get(ServerFacts.TRANSACTIONS).statement()));
        }
        List<Finding> findings = new ArrayList<>();
        open.stream()
                .filter(one -> one.connection() != 0) // a prepared one, which XaCheck names
                .filter(one -> one.seconds() >= situation.limits().transaction().toSeconds())
                .max(Comparator.comparingLong(OpenTransaction::seconds))
                .ifPresent(oldest -> findings.add(transaction(oldest)));
        return findings;
    }

    private static Finding transaction(OpenTransaction oldest) {
        String open = "open for " + oldest.seconds() + " s";
        return FOUND.warns(
                "connection " + oldest.connection(),
                "connection " + oldest.connection()
                        + (oldest.user().isEmpty() ? "" : " of " + oldest.user()) + " has a transaction " + open
                        + (oldest.rows() == 0 ? "" : ", with " + oldest.rows() + " changed rows"),
                "replicated schema changes of its tables wait for it, and so does all that comes after them",
                "on the standby: KILL " + oldest.connection());
    }
}
