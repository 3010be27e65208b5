package io.understudy.host;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Which plugin has registered which meter, so that none counts into a meter that goes when another plugin goes.
 * Thread-safe.
 */
public final class MeterOwners {
    private record Claim(Object holder, String owner) {}

    private final ConcurrentMap<Object, Claim> claims = new ConcurrentHashMap<>();
    /** The registry's meters, which itself can be searched only one after the other. */
    private final Set<Meter.Id> shown = ConcurrentHashMap.newKeySet();

    /** @param process in which all meters are */
    public MeterOwners(MeterRegistry process) {
        process.config()
                .onMeterAdded(meter -> shown.add(meter.getId()))
                .onMeterRemoved(meter -> shown.remove(meter.getId()));
        process.getMeters().forEach(meter -> shown.add(meter.getId()));
    }

    /**
     * Notes the owner of a meter.
     *
     * @param meter name and tags, comparable by {@code equals}
     * @param holder the context or registry that releases it
     * @return whether it is new
     * @throws IllegalArgumentException if somebody else has it
     */
    boolean claim(Object meter, Object holder, String owner) {
        Claim before = claims.putIfAbsent(meter, new Claim(holder, owner));
        if (before != null && before.holder() != holder) {
            throw taken(meter, owner, before.owner());
        }
        return before == null;
    }

    /** Returns whether the process has a meter, whoever owns it. */
    boolean isShown(Meter.Id meter) {
        return shown.contains(meter);
    }

    /** Returns the exception for a meter that another owner has. */
    static IllegalArgumentException taken(Object meter, String owner, String other) {
        return new IllegalArgumentException("plugin " + owner + " registers the meter " + meter + ", which " + other
                + " has; give it another name or tag");
    }

    void release(Object meter, Object holder) {
        claims.computeIfPresent(meter, (id, claim) -> claim.holder() == holder ? null : claim);
    }

    /** Releases all meters of a holder, and returns them. */
    List<Object> release(Object holder) {
        List<Object> released = new ArrayList<>();
        claims.forEach((meter, claim) -> {
            if (claim.holder() == holder && claims.remove(meter, claim)) {
                released.add(meter);
            }
        });
        return released;
    }
}
