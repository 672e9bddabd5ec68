import { ToggleGroup as ToggleGroupPrimitive } from "radix-ui"
import type * as React from "react"

import { cn } from "@/lib/utils"

function ToggleGroup({ className, ...props }: React.ComponentProps<typeof ToggleGroupPrimitive.Root>) {
  return (
    <ToggleGroupPrimitive.Root
      data-slot="toggle-group"
      className={cn("bg-muted text-muted-foreground inline-flex h-9 w-fit items-center rounded-lg p-[3px]", className)}
      {...props}
    />
  )
}

function ToggleGroupItem({ className, ...props }: React.ComponentProps<typeof ToggleGroupPrimitive.Item>) {
  return (
    <ToggleGroupPrimitive.Item
      data-slot="toggle-group-item"
      className={cn(
        "data-[state=on]:bg-background data-[state=on]:text-foreground dark:data-[state=on]:border-input dark:data-[state=on]:bg-input/30 text-muted-foreground focus-visible:border-ring focus-visible:ring-ring/50 inline-flex h-full items-center justify-center gap-1.5 rounded-md border border-transparent px-2 text-sm font-medium whitespace-nowrap outline-none transition-[color,box-shadow] focus-visible:ring-[3px] disabled:pointer-events-none disabled:opacity-50 data-[state=on]:shadow-sm",
        className
      )}
      {...props}
    />
  )
}

export { ToggleGroup, ToggleGroupItem }
