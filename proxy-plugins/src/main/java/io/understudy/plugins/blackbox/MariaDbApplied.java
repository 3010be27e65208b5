package io.understudy.plugins.blackbox;

import io.understudy.plugins.binlog.GtidNumbers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/**
 * A MariaDB position names the last transaction of each domain and means all before it in the same history. After a change of the primary
 * the new one goes on counting where it was, so that its numbers stand for other transactions than those of the old primary. Therefore a
 * number counts only where it was written by the same server, or is itself part of the history.
 */
final class MariaDbApplied implements Applied {
    /** By domain: last transactions, of different servers. */
    private final Map<Long, List<Gtid>> last = new HashMap<>();

    /**
     * From what the server says.
     *
     * @param replicated {@code gtid_slave_pos}
     * @param logged {@code gtid_binlog_state}, which names a last transaction for each server that wrote one
     */
    MariaDbApplied(String replicated, String logged) {
        add(replicated);
        add(logged);
    }

    private void add(String position) {
        for (String part : position.split(",")) {
            if (!part.isBlank()) {
                Gtid gtid = Gtid.mariaDb(part);
                last.computeIfAbsent(gtid.domain(), none -> new ArrayList<>(2)).add(gtid);
            }
        }
    }

    @Override
    public boolean has(Gtid gtid, History history) {
        for (Gtid known : last.getOrDefault(gtid.domain(), List.of())) {
            if (known.number() >= gtid.number() && (known.server() == gtid.server() || history.ahead(known))) {
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
            if (known.number() > reach && history.ahead(known)) {
                reach = known.number();
            }
        }
        return reach;
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
