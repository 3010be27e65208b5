package io.understudy.plugins.gtiddomain.progress;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Small numbers for domains, so that data per table fits into short arrays and bit sets. A domain keeps its index while
 * the proxy runs. Thread-safe.
 */
public final class DomainIndexes {
    /** Number of domains that can have an index. */
    public static final int MAX = 15;
    /** The default domain, which has all writes unless a rule says otherwise. */
    public static final int DEFAULT = 0;
    /** Any domain that a client has chosen itself. */
    public static final int FOREIGN = MAX;
    /** Length of arrays over indexes. */
    public static final int LENGTH = MAX + 1;

    private final CopyOnWriteArrayList<Long> domains = new CopyOnWriteArrayList<>();

    public DomainIndexes(long defaultDomain) {
        domains.add(defaultDomain);
    }

    /**
     * Returns the domain's index; assigns one if it has none.
     *
     * @throws IllegalArgumentException if there are too many domains
     */
    public synchronized int assign(long domain) {
        int known = domains.indexOf(domain);
        if (known >= 0) {
            return known;
        }
        if (domains.size() == MAX) {
            throw new IllegalArgumentException("more than " + MAX
                    + " different domains since the start; restart the proxy to forget those no longer used");
        }
        domains.add(domain);
        return domains.size() - 1;
    }

    /** Returns the domain's index, or {@link #FOREIGN}. */
    public int find(long domain) {
        for (int index = 0; index < domains.size(); index++) {
            if (domains.get(index) == domain) {
                return index;
            }
        }
        return FOREIGN;
    }

    public int size() {
        return domains.size();
    }

    public long domain(int index) {
        return domains.get(index);
    }

    /** Returns the labels of the indexes in a bit set. */
    public List<String> labels(int bits) {
        List<String> labels = new ArrayList<>();
        for (int index = 0; index < LENGTH; index++) {
            if ((bits & 1 << index) != 0) {
                labels.add(label(index));
            }
        }
        return labels;
    }

    /** Returns the label for metrics and the log. */
    public String label(int index) {
        return index == FOREIGN ? "client" : Long.toString(domains.get(index));
    }
}
