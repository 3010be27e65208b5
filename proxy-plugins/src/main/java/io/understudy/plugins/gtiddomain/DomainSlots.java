package io.understudy.plugins.gtiddomain;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Small numbers for domains, so that what is kept per table are short arrays. A slot keeps its domain while the proxy runs.
 * Any thread.
 */
final class DomainSlots {
    /** Domains that can have a slot. */
    static final int MAX = 15;
    /** The domain that everything belongs to unless a rule says otherwise. */
    static final int DEFAULT = 0;
    /** Whatever domain a client chose by itself. */
    static final int FOREIGN = MAX;
    /** Length of arrays over slots. */
    static final int LENGTH = MAX + 1;

    private final CopyOnWriteArrayList<Long> domains = new CopyOnWriteArrayList<>();

    DomainSlots(long defaultDomain) {
        domains.add(defaultDomain);
    }

    /**
     * The domain's slot, a new one if need be.
     *
     * @throws IllegalArgumentException when there are too many domains
     */
    synchronized int assign(long domain) {
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

    /** The domain's slot, or {@link #FOREIGN}. */
    int find(long domain) {
        for (int slot = 0; slot < domains.size(); slot++) {
            if (domains.get(slot) == domain) {
                return slot;
            }
        }
        return FOREIGN;
    }

    int size() {
        return domains.size();
    }

    long domain(int slot) {
        return domains.get(slot);
    }

    /** Labels of the slots whose bits are set. */
    List<String> labels(int bits) {
        List<String> labels = new ArrayList<>();
        for (int slot = 0; slot < LENGTH; slot++) {
            if ((bits & 1 << slot) != 0) {
                labels.add(label(slot));
            }
        }
        return labels;
    }

    /** For metrics and the log. */
    String label(int slot) {
        return slot == FOREIGN ? "client" : Long.toString(domains.get(slot));
    }
}
