package io.understudy.plugins.gtiddomain.ownership;

import io.understudy.plugins.gtiddomain.progress.GtidPosition;
import io.understudy.plugins.gtiddomain.progress.Progress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One table family: its claims, and its home. Guarded by the ownership's monitor; used by others as a key alone. It has
 * a claim for each domain that it was ever written in, or that a rule has wanted for it.
 */
public final class TableEntry implements Progress.Ended {
    /** Lower case {@code schema.table}; {@code *} stands for writes to unknown tables. */
    final String name;

    private final Object monitor;
    private final Progress progress;
    private final boolean simulated;
    private final List<Claim> claims = new ArrayList<>(2);
    /** Index of the domain of the last write; -1 before the first. */
    private int home = -1;

    private boolean awaitsQuery;
    private boolean waits;
    private @Nullable Conflict kept;
    private volatile boolean dropped;

    /** @param simulated whether the domains are only simulated: every write then really is in the default domain */
    TableEntry(String name, Object monitor, Progress progress, boolean simulated) {
        this.name = name;
        this.monitor = monitor;
        this.progress = progress;
        this.simulated = simulated;
    }

    List<Claim> claims() {
        return claims;
    }

    /** Returns the claim in a domain, or null if there is none. */
    @Nullable
    Claim find(int index) {
        for (int i = 0; i < claims.size(); i++) {
            if (claims.get(i).index == index) {
                return claims.get(i);
            }
        }
        return null;
    }

    Claim claim(int index) {
        Claim claim = find(index);
        if (claim == null) {
            claim = new Claim(index, progress, simulated);
            claims.add(claim);
        }
        return claim;
    }

    /** Returns the bit set of the domain indexes with writes that some standby may not have applied. */
    int owners() {
        int owners = 0;
        for (int i = 0; i < claims.size(); i++) {
            owners |= claims.get(i).owns() ? 1 << claims.get(i).index : 0;
        }
        return owners;
    }

    long lastDigest(int index) {
        Claim claim = find(index);
        return claim == null ? 0 : claim.digest;
    }

    /** Called when a write begins; returns whether it moves the family's home. */
    boolean begin(int index, long digest) {
        boolean moves = home >= 0 && home != index;
        home = index;
        Claim claim = claim(index);
        claim.begins(1);
        claim.digest = digest;
        return moves;
    }

    /** Called when a write ran in another domain than intended. */
    void move(int from, int to) {
        home = to;
        claim(from).begins(-1);
        claim(to).begins(1);
    }

    /** Called when a write has ended; returns whether one waits for the family and none is in flight any more. */
    boolean end(int index) {
        claim(index).ends();
        awaitsQuery();
        boolean mayBecomeFree = waits && idle();
        waits &= !mayBecomeFree;
        return mayBecomeFree;
    }

    /** Returns whether no write is in flight. */
    boolean idle() {
        for (int i = 0; i < claims.size(); i++) {
            if (!claims.get(i).idle()) {
                return false;
            }
        }
        return true;
    }

    private void awaitsQuery() {
        if (!awaitsQuery) {
            awaitsQuery = true;
            progress.ended(this);
        }
    }

    @Override
    public void asked() {
        synchronized (monitor) {
            awaitsQuery = false;
            claims.forEach(Claim::asked);
        }
    }

    @Override
    public void bounded(GtidPosition primary) {
        synchronized (monitor) {
            claims.forEach(claim -> claim.bounded(primary));
        }
    }

    /** Records a write with a GTID from the binary log, whether or not a session had announced it. */
    void logged(int index, long sequence) {
        if (claim(index).logged(sequence)) {
            awaitsQuery();
        }
    }

    /** See {@link Claim#forget}. */
    void forget(GtidPosition primary) {
        for (Claim claim : claims) {
            if (claim.forget(primary)) {
                awaitsQuery();
            }
        }
    }

    /** Called when a write would go to its rule's domain, were the family free. */
    void waitedFor() {
        waits = true;
    }

    /** Returns whether a session has ever written it. */
    boolean everAnnounced() {
        return home >= 0;
    }

    /** Returns the bit set of the domain indexes that rules have wanted in a period of the report, or later. */
    int wantedSince(int period) {
        int bits = 0;
        for (Claim claim : claims) {
            bits |= claim.wanted >= Math.max(1, period) ? 1 << claim.index : 0;
        }
        return bits;
    }

    /**
     * Returns whether it is written in a way that a proxy cannot steer, so that it must not leave the default domain.
     */
    boolean unsteerable() {
        return kept != null;
    }

    /** Returns by which kind of write that became known, whether or not it met another domain; null if it is not. */
    @Nullable
    Conflict kept() {
        return kept;
    }

    void keep(Conflict why) {
        kept = kept == null ? why : kept;
    }

    /** Returns whether it is followed no more; its holder must look the table up again. Needs no monitor. */
    boolean dropped() {
        return dropped;
    }

    void drop() {
        dropped = true;
    }
}
