// The page of simtrun view: the machine is a server.
import { begin } from "./explorer.js";

begin();
