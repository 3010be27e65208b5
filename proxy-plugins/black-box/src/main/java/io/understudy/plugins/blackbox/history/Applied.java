package io.understudy.plugins.blackbox.history;

import io.understudy.plugin.ServerFlavor;
import io.understudy.servers.GtidNumbers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.stream.Collectors;

/** The part of a history that a server has applied, from its positions. */
public interface Applied {
    boolean has(Gtid gtid, History history);

    /** Returns the numbers of the history that it has. */
    GtidNumbers of(History history);

    /**
     * Returns the transactions that it has written after its part of the history and that are not part of the history,
     * as text; empty for none.
     */
    String beyond(History history);

    /** Returns what {@link #of} makes the same of, as {@code replicated}. */
    String text();

    /** Returns this and another part together, of the same product. */
    Applied and(Applied other);

    /**
     * Returns the part that a server's positions describe.
     *
     * @param replicated MariaDB's {@code gtid_slave_pos}, MySQL's {@code gtid_executed}
     * @param logged MariaDB's {@code gtid_binlog_state}; ignored on MySQL
     * @throws IllegalArgumentException if the texts are no positions
     */
    static Applied of(ServerFlavor flavor, String replicated, String logged) {
        return flavor == ServerFlavor.MARIADB
                ? new MariaDbApplied(replicated, logged)
                : new MySqlApplied(GtidNumbers.ofMySql(replicated));
    }

    /** A MySQL GTID set contains each transaction, so it is exact. */
    final class MySqlApplied implements Applied {
        private final GtidNumbers executed;

        public MySqlApplied(GtidNumbers executed) {
            this.executed = executed;
        }

        @Override
        public boolean has(Gtid gtid, History history) {
            return executed.contains(gtid.source(), gtid.number());
        }

        @Override
        public GtidNumbers of(History history) {
            return executed;
        }

        @Override
        public String text() {
            return executed.toString();
        }

        @Override
        public Applied and(Applied other) {
            GtidNumbers all = new GtidNumbers();
            all.addAll(executed);
            if (other instanceof MySqlApplied more) {
                all.addAll(more.executed);
            }
            return new MySqlApplied(all);
        }

        @Override
        public String beyond(History history) {
            // What has this primary's own UUID it wrote, though it was not read.
            return executed.minus(history.seen()).minus(history.own(executed)).toString();
        }
    }

    /**
     * A MariaDB position gives the last transaction of each domain and implies all earlier ones of the same history. A
     * new primary continues the old one's numbering, so that its numbers denote other transactions than the old
     * primary's. A number therefore counts only if the same server wrote it, or if it is part of the history or of one
     * that continues it.
     */
    final class MariaDbApplied implements Applied {
        /** By domain: last transactions, of different servers. */
        private final Map<Long, List<Gtid>> last = new HashMap<>();

        /**
         * Parses a server's positions.
         *
         * @param replicated {@code gtid_slave_pos}
         * @param logged {@code gtid_binlog_state}, which has a last transaction for each server that wrote one
         */
        public MariaDbApplied(String replicated, String logged) {
            add(replicated);
            add(logged);
        }

        private void add(String position) {
            for (Gtid gtid : Gtid.mariaDbPosition(position)) {
                last.computeIfAbsent(gtid.domain(), none -> new ArrayList<>(2)).add(gtid);
            }
        }

        @Override
        public boolean has(Gtid gtid, History history) {
            for (Gtid known : last.getOrDefault(gtid.domain(), List.of())) {
                if ((known.server() == gtid.server() && known.number() >= gtid.number())
                        || history.reach(known) >= gtid.number()) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public GtidNumbers of(History history) {
            GtidNumbers numbers = new GtidNumbers();
            last.forEach((domain, gtids) -> numbers.add(Gtid.source(domain), 1, reach(domain, history)));
            return numbers;
        }

        private long reach(long domain, History history) {
            long reach = 0;
            for (Gtid known : last.getOrDefault(domain, List.of())) {
                reach = Math.max(reach, history.reach(known));
            }
            return reach;
        }

        @Override
        public String text() {
            return last.values().stream().flatMap(List::stream).map(Gtid::text).collect(Collectors.joining(","));
        }

        @Override
        public Applied and(Applied other) {
            MariaDbApplied all = new MariaDbApplied("", "");
            all.addAll(this);
            if (other instanceof MariaDbApplied more) {
                all.addAll(more);
            }
            return all;
        }

        private void addAll(MariaDbApplied other) {
            other.last.forEach((domain, gtids) ->
                    last.computeIfAbsent(domain, none -> new ArrayList<>(2)).addAll(gtids));
        }

        @Override
        public String beyond(History history) {
            StringJoiner found = new StringJoiner(",");
            last.forEach((domain, gtids) -> {
                long reach = reach(domain, history);
                for (Gtid known : gtids) {
                    if (known.number() > reach && !history.ahead(known)) {
                        found.add(known.text());
                    }
                }
            });
            return found.toString();
        }
    }
}
