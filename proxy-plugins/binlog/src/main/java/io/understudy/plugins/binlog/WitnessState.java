package io.understudy.plugins.binlog;

import io.understudy.plugin.PluginContext;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the proxy itself acknowledges to the primary as a semi-synchronous replica, for plugins that judge
 * acknowledgements: the plugin that acknowledges says it here. Thread-safe.
 */
public final class WitnessState implements AutoCloseable {
    /** The proxy as a semi-synchronous replica. Called on any thread; must not wait. */
    public interface Witness {
        /** Returns whether the primary counts it among its semi-synchronous replicas. */
        boolean isPresent();

        /** Returns whether each transaction of the primary is kept here or applied by every standby. */
        boolean holdsAll();
    }

    private volatile @Nullable Witness witness;
    private volatile @Nullable Duration sync;

    /** Returns the proxy's one instance. */
    public static WitnessState of(PluginContext context) {
        return context.shared(WitnessState.class, shared -> new WitnessState());
    }

    /** Sets who acknowledges; null when nobody does any more. */
    public void witness(@Nullable Witness next) {
        witness = next;
    }

    /** Called with the time that the witness's directory takes for one fdatasync. */
    public void sync(Duration measured) {
        sync = measured;
    }

    /** Returns the time of one fdatasync in the witness's directory; null if it has none, or it was not measured. */
    public @Nullable Duration sync() {
        return sync;
    }

    /** Returns whether there is a witness, present or not. */
    public boolean isConfigured() {
        return witness != null;
    }

    /** Returns whether the primary counts the proxy among its semi-synchronous replicas. */
    public boolean isPresent() {
        Witness present = witness;
        return present != null && present.isPresent();
    }

    /**
     * Returns whether an acknowledgement means that no earlier transaction is on the primary alone. A standby
     * acknowledges only what follows all that it has; a witness may have begun behind some, or passed some over. Whose
     * acknowledgement it was is not known.
     */
    public boolean coversEarlier() {
        Witness present = witness;
        return present == null || !present.isPresent() || present.holdsAll();
    }

    @Override
    public void close() {
        witness = null;
    }
}
