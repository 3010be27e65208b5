package io.understudy.host;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.Interest;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionObserver;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The observers of one session, called in the order of the configuration. An observer that throws is replaced by {@link
 * SessionObserver#NONE} and reported; the session continues. On the session's event loop.
 */
public final class ObserverChain {
    /** Called once for each observer that throws. */
    public interface FaultListener {
        void onFault(String plugin, String where, Throwable fault);
    }

    /** A chain without observers. */
    public static final ObserverChain EMPTY =
            new ObserverChain(new String[0], new SessionObserver[0], (plugin, where, fault) -> {});

    private final String[] plugins;
    private final SessionObserver[] observers;
    private final int[] interests;
    private final int union;
    private final FaultListener faults;

    ObserverChain(String[] plugins, SessionObserver[] observers, FaultListener faults) {
        this.plugins = plugins;
        this.observers = observers;
        this.faults = faults;
        interests = new int[observers.length];
        int all = 0;
        for (int i = 0; i < observers.length; i++) {
            try {
                interests[i] = observers[i].interests();
            } catch (Throwable fault) {
                retire(i, "interests", fault);
            }
            all |= interests[i];
        }
        union = all;
    }

    /** Returns all observers' {@link Interest} bits together. */
    public int interests() {
        return union;
    }

    public int size() {
        return observers.length;
    }

    public String plugin(int observer) {
        return plugins[observer];
    }

    /**
     * @param slot receives the observer's index before each call
     */
    public void onCommand(CommandView command, IntConsumer slot) {
        for (int i = 0; i < observers.length; i++) {
            if ((interests[i] & Interest.COMMANDS) != 0) {
                slot.accept(i);
                try {
                    observers[i].onCommand(command);
                } catch (Throwable fault) {
                    retire(i, "onCommand", fault);
                }
            }
        }
    }

    public void onResponse(CommandView command, ResponseView response, IntConsumer slot) {
        for (int i = 0; i < observers.length; i++) {
            if ((interests[i] & Interest.RESPONSES) != 0) {
                slot.accept(i);
                try {
                    observers[i].onResponse(command, response);
                } catch (Throwable fault) {
                    retire(i, "onResponse", fault);
                }
            }
        }
    }

    /** See {@link SessionObserver#afterLogin}. */
    public @Nullable InjectedStatement afterLogin(int observer) {
        if ((interests[observer] & Interest.BOUNDARY) == 0) {
            return null;
        }
        try {
            return observers[observer].afterLogin();
        } catch (Throwable fault) {
            retire(observer, "afterLogin", fault);
            return null;
        }
    }

    public @Nullable InjectedStatement beforeCommand(int observer, CommandView command) {
        if ((interests[observer] & Interest.BOUNDARY) == 0) {
            return null;
        }
        try {
            return observers[observer].beforeCommand(command);
        } catch (Throwable fault) {
            retire(observer, "beforeCommand", fault);
            return null;
        }
    }

    /** See {@link SessionObserver#beforePreparation}. */
    public @Nullable InjectedStatement beforePreparation(int observer, CommandView command) {
        if ((interests[observer] & Interest.BOUNDARY) == 0) {
            return null;
        }
        try {
            return observers[observer].beforePreparation(command);
        } catch (Throwable fault) {
            retire(observer, "beforePreparation", fault);
            return null;
        }
    }

    /** Whether any observer {@link SessionObserver#owes}. */
    public boolean owes() {
        for (int i = 0; i < observers.length; i++) {
            try {
                if (observers[i].owes()) {
                    return true;
                }
            } catch (Throwable fault) {
                retire(i, "owes", fault);
            }
        }
        return false;
    }

    /** See {@link SessionObserver#beforeUnknown}. */
    public @Nullable InjectedStatement beforeUnknown(int observer, CommandView command) {
        try {
            return observers[observer].owes() ? observers[observer].beforeUnknown(command) : null;
        } catch (Throwable fault) {
            retire(observer, "beforeUnknown", fault);
            return null;
        }
    }

    public void onInjected(int observer, InjectedStatement statement, InjectionResult result) {
        try {
            observers[observer].onInjected(statement, result);
        } catch (Throwable fault) {
            retire(observer, "onInjected", fault);
        }
    }

    public void onReset() {
        for (int i = 0; i < observers.length; i++) {
            try {
                observers[i].onReset();
            } catch (Throwable fault) {
                retire(i, "onReset", fault);
            }
        }
    }

    public void onClose(String reason) {
        for (int i = 0; i < observers.length; i++) {
            try {
                observers[i].onClose(reason);
            } catch (Throwable fault) {
                retire(i, "onClose", fault);
            }
        }
    }

    private void retire(int observer, String where, Throwable fault) {
        observers[observer] = SessionObserver.NONE;
        interests[observer] = Interest.NONE;
        faults.onFault(plugins[observer], where, fault);
    }
}
