package io.understudy;

import io.understudy.config.Address;
import io.understudy.config.ConfigDiff;
import io.understudy.config.LoadedConfig;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The configuration in force, and the parts of the process that follow a new one. Thread-safe, except that one thread
 * at a time may apply.
 */
public final class LiveConfig {

    /** A part of the process that follows the configuration, as far as it can change while running. */
    @FunctionalInterface
    public interface Part {
        /** Takes over what has changed. Returns a sentence for each thing that stays as it was. */
        List<String> follow(LoadedConfig now, ConfigDiff diff);
    }

    /**
     * What a reload did, in sentences.
     *
     * @param changes what has taken effect
     * @param notApplied what takes effect after a restart, or was refused by its part
     * @param complete false if files that the configuration names could not be used
     */
    public record Outcome(List<String> changes, List<String> notApplied, boolean complete) {}

    /** Keys that need a restart have its values. */
    private final LoadedConfig started;

    private volatile LoadedConfig current;
    /** Those with which plugins run. */
    private final Supplier<Map<String, Record>> plugins;

    /** The primary in force if an operator chose it, else null. */
    private final Supplier<@Nullable Address> chosenPrimary;

    private final Supplier<Map<String, Integer>> olderSessions;
    private final List<Part> parts = new CopyOnWriteArrayList<>();
    private final List<Part> files = new CopyOnWriteArrayList<>();

    LiveConfig(
            LoadedConfig started,
            Supplier<Map<String, Record>> plugins,
            Supplier<@Nullable Address> chosenPrimary,
            Supplier<Map<String, Integer>> olderSessions) {
        this.started = started;
        this.current = started;
        this.plugins = plugins;
        this.chosenPrimary = chosenPrimary;
        this.olderSessions = olderSessions;
    }

    /**
     * Returns the number of sessions that a plugin does not observe because they began before it was added, by plugin;
     * only those plugins for which there are such sessions.
     */
    public Map<String, Integer> olderSessions() {
        return olderSessions.get();
    }

    /** Returns the configuration that was applied last. */
    public LoadedConfig current() {
        return current;
    }

    /** Adds a part, which follows after those that were added before. */
    public void follow(Part part) {
        parts.add(part);
    }

    /** Adds a part that can always follow. */
    public void follow(Consumer<LoadedConfig> part) {
        follow((now, diff) -> {
            part.accept(now);
            return List.of();
        });
    }

    /** Adds a part that reads files again; a reload in which it refuses them is not complete. */
    public void followFiles(Part part) {
        files.add(part);
        parts.add(part);
    }

    /** Has every part follow a new configuration. */
    public Outcome apply(LoadedConfig now) {
        ConfigDiff diff = ConfigDiff.between(current, now);
        List<String> left = new ArrayList<>();
        diff.afterRestart().forEach(change -> left.add(change.sentence()));
        boolean complete = true;
        for (Part part : parts) {
            List<String> stays = part.follow(now, diff);
            left.addAll(stays);
            complete &= stays.isEmpty() || !files.contains(part);
        }
        current = now;
        return new Outcome(applied(diff), left, complete);
    }

    /** Returns a sentence for each change that has taken effect: a plugin may have refused its own. */
    private List<String> applied(ConfigDiff diff) {
        List<String> refused = pending().stream().map(ConfigDiff.Change::path).toList();
        Map<String, Integer> older = olderSessions.get();
        return diff.live().stream()
                .filter(change -> !refused.contains(change.path()))
                .map(change -> change.sentence() + withoutIt(change, older))
                .toList();
    }

    /** Returns what a sentence about a plugin that was added leaves open: which sessions go on without it. */
    private static String withoutIt(ConfigDiff.Change change, Map<String, Integer> older) {
        Integer count = older.get(change.path().replaceFirst("^plugins\\.", ""));
        return count == null || !change.from().equals("off")
                ? ""
                : " for sessions that begin from now on; " + count + (count == 1 ? " goes" : " go")
                        + " on without it until they end";
    }

    /**
     * Returns in what the process differs from the configuration that was loaded last: {@code from} is what runs,
     * {@code to} what the file has. A restart makes it empty.
     */
    public List<ConfigDiff.Change> pending() {
        LoadedConfig file = current;
        ConfigDiff since = ConfigDiff.between(started, file);
        List<ConfigDiff.Change> pending = new ArrayList<>(since.afterRestart());
        if (started.config().primary().monitor() != null) {
            // The connections of sessions have the new files, the proxy's own have not.
            pending.addAll(since.serverFiles());
        }
        Address primary = chosenPrimary.get();
        Address named = file.config().primary().address();
        if (primary != null && file.config().primary().candidates().isEmpty() && !primary.equals(named)) {
            pending.add(new ConfigDiff.Change("primary.address", primary.toString(), named.toString(), false));
        }
        Set<String> hidden = new LinkedHashSet<>(started.fromOutside());
        hidden.addAll(file.fromOutside());
        LoadedConfig running =
                new LoadedConfig(file.config(), plugins.get(), file.sha(), file.warnings(), file.files(), hidden);
        ConfigDiff.between(running, file).changes().stream()
                .map(change -> new ConfigDiff.Change(change.path(), change.from(), change.to(), false))
                .forEach(pending::add);
        return pending;
    }
}
