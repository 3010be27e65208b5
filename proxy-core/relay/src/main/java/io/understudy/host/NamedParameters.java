package io.understudy.host;

import io.understudy.plugin.PluginContext;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** An action that refuses parameters whose names it does not know. */
final class NamedParameters implements PluginContext.Action {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{(\\w+)}");

    private final String what;
    private final Set<String> known;
    private final PluginContext.Action action;

    /**
     * @param method of HTTP
     * @param path with placeholders, whose names are known
     * @param more names of other parameters
     */
    NamedParameters(String method, String path, Set<String> more, PluginContext.Action action) {
        what = method + " /api/" + path;
        this.action = action;
        known = new TreeSet<>(more);
        PLACEHOLDER.matcher(path).results().forEach(match -> known.add(match.group(1)));
    }

    @Override
    public Object run(Map<String, String> parameters) {
        for (String name : parameters.keySet()) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException(what + " has no parameter '" + name + "'; it has " + known);
            }
        }
        return action.run(parameters);
    }
}
