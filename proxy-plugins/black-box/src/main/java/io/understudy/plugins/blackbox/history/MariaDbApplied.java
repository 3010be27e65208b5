package io.understudy.plugins.blackbox.history;

import io.understudy.servers.GtidNumbers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.stream.Collectors;

/**
 * A MariaDB position gives the last transaction of each domain and implies all earlier ones of the same history. A new
 * primary continues the old one's numbering, so that its numbers denote other transactions than the old primary's. A
 * number therefore counts only if the same server wrote it, or if it is part of the history or of one that continues
 * it.
 */
public final class MariaDbApplied implements Applied {
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
