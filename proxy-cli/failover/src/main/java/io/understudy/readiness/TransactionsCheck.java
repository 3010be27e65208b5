package io.understudy.readiness;

import java.util.Comparator;
import java.util.List;

/** The oldest open transaction on the standby. */
final class TransactionsCheck {
    private TransactionsCheck() {}

    static void find(Findings found) {
        Known<List<OpenTransaction>> known = found.standby().get(ServerFacts.TRANSACTIONS);
        List<OpenTransaction> open = known.value();
        if (open == null) {
            found.unknown(
                    "privilege",
                    "its open transactions cannot be read: " + known.reason(),
                    "a long one may block what replication applies, and the promotion",
                    known.statement());
            return;
        }
        long most = found.situation().limits().transaction().toSeconds();
        open.stream()
                .filter(one -> one.connection() != 0) // a prepared one, which XaCheck names
                .filter(one -> one.seconds() >= most)
                .max(Comparator.comparingLong(OpenTransaction::seconds))
                .ifPresent(oldest -> found.warns(
                        "connection " + oldest.connection(),
                        "connection " + oldest.connection()
                                + (oldest.user().isEmpty() ? "" : " of " + oldest.user())
                                + " has a transaction open for " + oldest.seconds() + " s"
                                + (oldest.rows() == 0 ? "" : ", with " + oldest.rows() + " changed rows"),
                        "replicated schema changes of its tables wait for it, and so does all that comes after them",
                        "on the standby: KILL " + oldest.connection()));
    }
}
